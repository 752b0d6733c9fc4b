package acme.app

import acme.io.*

fun name(): String = ""
