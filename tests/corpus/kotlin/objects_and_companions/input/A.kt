package p

object Registry {
    fun add(x: Box) {}
}

class Box private constructor() {
    companion object {
        fun make(): Box = Box()
    }
}

enum class Color { RED, GREEN }

data class Pair2(val a: Box, val c: Color)

fun use(p: Pair2) {
    val b = Box.make()
    Registry.add(b)
    p.a.toString()
}
