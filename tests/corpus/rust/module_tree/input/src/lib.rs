mod cart;
pub mod model;
mod inline {
    pub mod deep;
}
#[path = "odd/place.rs"]
mod placed;
