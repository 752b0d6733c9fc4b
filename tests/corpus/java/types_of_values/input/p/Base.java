package p;

class Base {
    Held held;
}
