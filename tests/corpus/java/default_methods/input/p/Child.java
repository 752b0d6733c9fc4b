package p;

class Child extends Parent implements Face {
    void use() {
        name();
        only();
        Face.super.name();
        super.name();
        Face.none().only();
    }
}
