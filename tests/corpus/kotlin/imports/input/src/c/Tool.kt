package c

class Tool {
    fun run() {}
}
