package p;

interface Names {
    String NAME = "a";
}
