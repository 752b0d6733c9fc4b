package p;

class User {
    Outer.Part part;
    Outer.Inner.Deep deep;

    void use() {
        part.work();
        deep.touch();
        deep.go();
    }
}
