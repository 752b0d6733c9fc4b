package p;

class Made implements AutoCloseable {
    Made next;

    static Made make() {
        return new Made();
    }

    Made[] all() {
        return null;
    }

    public void close() {
    }

    void hit() {
    }
}
