package p;

class Top {
    static final int KIND = 3;
    static final int OWN = 2;
    static Object OBJECT = null;
}
