pub fn here() {}
