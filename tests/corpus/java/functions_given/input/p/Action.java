package p;

interface Action {
    void act();
}
