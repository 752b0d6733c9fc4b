mod entry;
use entry::Entry;

pub fn go() {}
