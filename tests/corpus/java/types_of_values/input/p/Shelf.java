package p;

class Shelf {
    Box box;
}
