package a

import b.Store
import b.open as openStore
import c.*
import kotlin.math.max
import org.junit.Test

fun main() {
    val s = Store()
    s.put(1)
    openStore()
    Tool().run()
}
