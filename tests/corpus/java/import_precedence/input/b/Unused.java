package b;

class Unused {
}
