package p;

import java.util.Iterator;
import java.util.List;

class Shelf implements Iterable<String>, AutoCloseable {
    private final Shelf[] parts = {};
    private List<String> names;

    public Iterator<String> iterator() {
        return names.iterator();
    }

    public void close() {
    }

    Shelf open() {
        return this;
    }

    Shelf[] parts() {
        return parts;
    }
}
