package p;

class Middle extends Top implements Names {
}
