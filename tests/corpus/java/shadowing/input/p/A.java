package p;

class A {
    void hit() {
    }
}
