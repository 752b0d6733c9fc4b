pub fn dig() {}
