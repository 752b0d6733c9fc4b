package p.q

class Derived : Base(), Face {
    override fun go() { super.go(); help() }
    private fun help() {}
}
