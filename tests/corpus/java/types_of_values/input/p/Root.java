package p;

class Root {
    void done() {
    }
}
