package p;

class Box extends Shelf {
    public void close() {
    }
}
