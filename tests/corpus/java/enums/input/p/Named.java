package p;

interface Named {
    default String label() {
        return "";
    }
}
