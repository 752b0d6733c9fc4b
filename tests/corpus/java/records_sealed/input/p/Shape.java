package p;

sealed interface Shape permits Circle, Square {
    Point center();
}

record Point(int x, int y) {
    Point {
        check(x);
    }

    static void check(int x) {
    }

    Point moved() {
        return this;
    }
}

record Circle(Point center, int radius) implements Shape {
}

record Square(Point center) implements Shape {
    public Point center() {
        return center;
    }
}
