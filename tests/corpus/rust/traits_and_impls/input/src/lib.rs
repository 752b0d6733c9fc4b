pub trait Draw: Named {
    fn draw(&self);
    fn twice(&self) { self.draw(); }
}
pub trait Named {}
pub struct Dot<T> { inner: Line, x: T }
pub struct Line;
impl Line { fn len(&self) {} }
impl<T> Draw for Dot<T> {
    fn draw(&self) { self.inner.len(); Self::help(); }
}
impl<T> Dot<T> {
    fn help() {}
}
