package p;

class Store {
    Shelf shelf;

    First first() {
        return null;
    }

    First either(int a) {
        return null;
    }

    Second either(String a) {
        return null;
    }
}
