package p;

import java.util.List;
import java.util.function.Function;
import java.util.function.IntFunction;

class Use {
    Item item;
    Function<Item, Item> same = it -> it;

    void use(List<Item> list) {
        list.forEach(Item::touchOnce);
        list.forEach(Item::log);
        list.forEach(this::mine);
        IntFunction<Item> make = Item::new;
        IntFunction<Item[]> array = Item[]::new;
        list.forEach(each -> mine(each));
    }

    void shadow(List<Item> list) {
        list.forEach(item -> item.touchOnce());
    }

    void typed(List<Item> list) {
        list.forEach((Item each) -> each.touchOnce());
    }

    void behind(List<String> list) {
        list.forEach(item -> {
            item.hashCode();
        });
        item.touchOnce();
    }

    void mine(Item item) {
    }
}
