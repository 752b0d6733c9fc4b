pub fn check() -> bool { true }
pub fn load() {}
pub struct Config;
impl Config { pub fn new() -> Config { Config } pub fn get(&self) {} }
pub mod config { pub fn load() -> i32 { 5 } pub fn get() {} }
