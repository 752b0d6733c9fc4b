pub fn name() {}
