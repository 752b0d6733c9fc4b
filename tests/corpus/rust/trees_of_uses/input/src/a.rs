pub struct One;
pub struct Two;
pub fn make() {}
