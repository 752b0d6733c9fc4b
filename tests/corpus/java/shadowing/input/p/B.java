package p;

class B {
    void hit() {
    }
}
