/* head */
fun f(a: Int?, b: List<Int>): Int {
    // line
    val x = a ?: 0
    if (x > 0 && b.isEmpty()) {
        for (i in b) {
            while (i > 0) {
                println(i)
            }
        }
    } else if (x < 0) {
        return 1
    }
    return when (x) {
        1 -> 2
        2, 3 -> 4
        else -> 5
    }
}

fun one() = 1
