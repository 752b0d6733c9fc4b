package b

class Store {
    fun put(x: Int) {}
}

fun open(): Store = Store()
