package p;

interface Change {
    Object change(String text);
}
