pub fn nobody() {}
