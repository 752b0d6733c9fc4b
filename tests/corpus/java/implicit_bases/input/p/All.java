package p;

class All implements Named {
    enum Kind {
        ONE
    }

    record Pair(int a, int b) {
    }

    static class Below extends All {
    }

    static class Beside extends outside.Other {
    }
}
