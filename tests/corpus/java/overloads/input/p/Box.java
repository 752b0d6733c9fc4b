package p;

class Box extends Base {
    Box() {
        this(1, 2);
    }

    Box(int a, int b) {
        super(a);
        put("x");
        put("x", 1);
        put("x", 1, 2, 3);
        put();
    }

    void put(String key, int value) {
    }

    void put(String key, int... values) {
    }

    void put() {
        new Box();
        new Box(1, 2).put();
    }
}
