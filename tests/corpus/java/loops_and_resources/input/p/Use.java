package p;

class Use {
    private final Shelf field = new Shelf();

    void loops(Box box) {
        for (String name : box) {
            name.trim();
        }
        for (String name : field.open()) {
        }
        for (Shelf part : field.parts()) {
        }
        for (String name : new String[] {"a"}) {
        }
    }

    void resources(Shelf given) throws Exception {
        try (Shelf shelf = given.open(); var box = new Box()) {
        }
        try (given; this.field) {
        }
        try (AutoCloseable other = null) {
        }
    }
}
