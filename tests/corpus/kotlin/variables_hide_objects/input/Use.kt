package shop

fun parameter(Header: Map<String, String>) {
    Header.get("a")
}

fun function(check: () -> Boolean) {
    check()
}

fun value(check: Boolean) {
    check()
}

fun local() {
    val Header = mapOf("a" to "b")
    Header.get("a")
}

fun lambda() {
    run { Header -> Header.get("a") }
}

fun loop(all: List<Map<String, String>>) {
    for (Header in all) {
        Header.get("a")
    }
}

fun itself() {
    val check = check()
}

fun right() {
    Header.get("a")
    check()
}

class Holder(val check: Boolean) {
    fun itself() {
        check()
    }
}
