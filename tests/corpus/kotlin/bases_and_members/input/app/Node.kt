package app

open class Node
