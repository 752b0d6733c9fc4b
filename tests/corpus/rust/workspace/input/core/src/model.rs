pub struct Item;
impl Item {
    pub fn new() -> Self { Item }
    pub fn cost(&self) -> i32 { 1 }
}
