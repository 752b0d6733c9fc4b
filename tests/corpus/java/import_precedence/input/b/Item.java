package b;

class Item {
}
