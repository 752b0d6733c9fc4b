package p;

class Local {
    void hit() {
    }
}
