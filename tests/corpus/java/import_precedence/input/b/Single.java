package b;

import a.Item;

class Single {
    Item item;
    List list;
}
