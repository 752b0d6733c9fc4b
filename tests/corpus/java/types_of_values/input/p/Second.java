package p;

class Second extends Root {
}
