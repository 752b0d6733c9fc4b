package p;

interface Turn {
    String turn(String text);
}
