package p;

class First {
    Second second() {
        return null;
    }
}
