package acme.app

import acme.io.*

class Pipe(val name: String) : Channel

fun open(): Channel {
    return Channel(1)
}
