package p;

class Box {
}
