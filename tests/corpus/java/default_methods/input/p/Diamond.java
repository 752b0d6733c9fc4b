package p;

interface Top {
    default void act() {
    }
}

interface Left extends Top {
}

interface Right extends Top {
    default void act() {
    }
}

class Diamond implements Left, Right {
    void use() {
        act();
    }
}
