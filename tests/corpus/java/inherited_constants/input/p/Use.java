package p;

class Use extends Middle {
    static final int OWN = 1;

    int kind() {
        return KIND + OWN; // KIND alone
    }

    String text() {
        return "KIND" + NAME.trim();
    }

    Object value() {
        return OBJECT;
    }

    int hidden(int KIND) {
        return OWN;
    }

    class Inner {
        int deep = KIND;
    }
}

class Other {
    int kind(int KIND) {
        return KIND;
    }
}
