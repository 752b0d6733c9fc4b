package acme.io

fun Channel(size: Int): Channel = TODO()
fun String(bytes: ByteArray): String = TODO()
