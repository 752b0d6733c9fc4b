package p;

class Area {
    void area(Shape shape) {
        if (shape instanceof Circle c && c.radius() > 0) {
            c.center().moved();
        }
        switch (shape) {
            case Circle(Point at, var r) -> at.moved();
            case Square s when s.center() != null -> s.center().moved();
            default -> shape.center().moved();
        }
    }
}
