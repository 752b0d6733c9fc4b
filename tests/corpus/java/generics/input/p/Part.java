package p;

class Part {
    void onlyHere() {
    }
}
