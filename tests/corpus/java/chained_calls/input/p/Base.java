package p;

class Base {
    Base up() {
        return this;
    }
}
