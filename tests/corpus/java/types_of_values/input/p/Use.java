package p;

class Use extends Base {
    void chain(Store store) {
        store.first().second().done();
    }

    void field(Store store) {
        store.shelf.box.hashCode();
    }

    void inherited() {
        held.done();
        held.up();
    }

    void named(Store store) {
        First first = store.first();
        first.second();
    }

    void several(Store store) {
        store.either(1);
    }

    Second through(Store store) {
        return store.first().second();
    }

    void loop(Rows rows) {
        for (Object row : rows) {
        }
    }
}
