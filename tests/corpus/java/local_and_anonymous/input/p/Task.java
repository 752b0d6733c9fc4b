package p;

abstract class Task {
    abstract void run();

    void helper() {
    }
}
