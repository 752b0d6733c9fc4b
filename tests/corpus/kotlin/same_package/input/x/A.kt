package p.q

open class Base {
    open fun go() {}
}
interface Face
