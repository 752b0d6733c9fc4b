package b;

class List {
}
