package p;

class Held extends Root {
    void up() {
    }
}
