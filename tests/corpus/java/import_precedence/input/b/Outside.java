package b;

import java.util.List;

class Outside {
    List list;
    Item item;
}

class Item2 extends Item {
}
