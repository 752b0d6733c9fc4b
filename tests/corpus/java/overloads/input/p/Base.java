package p;

class Base {
    Base(int a) {
    }

    void put(String key) {
    }
}
