package p;

import java.util.List;
import java.util.Map;

class Box<T, B extends Part> {
    T first;
    B bound;
    Map<String, List<? super Part>> parts;

    <U extends T> T get(U u, B b) {
        bound.onlyHere();
        b.onlyHere();
        return first;
    }

    static Box<T, Part> make() {
        Box<T, Part> box = new Box<>();
        return Box.<T, Part>make();
    }

    void lost(List<Part> list) {
        list.get(0).onlyHere();
    }
}

class Sub extends Box<T, Part> {
    T field;
}
