package p;

class T {
    void own() {
    }
}
