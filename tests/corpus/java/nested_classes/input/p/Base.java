package p;

class Base {
    static class Part {
        void work() {
        }
    }
}
