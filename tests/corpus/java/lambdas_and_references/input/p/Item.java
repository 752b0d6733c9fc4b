package p;

class Item {
    Item(int a) {
    }

    void touchOnce() {
    }

    static void log(Item item) {
    }
}
