use shop_core::Item;
use shop_core::model;

fn main() {
    let i = Item::new();
    i.cost();
}
