package app

class Tree : Node() {
    class Node

    val first: Node? = null
}
