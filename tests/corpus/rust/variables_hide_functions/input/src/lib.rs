mod names;
use names::{check, load, Config, config};

fn parameter(check: fn() -> bool) { check(); }
fn local() { let load = 5; let _ = load.pow(2); }
fn itself() { let check = check(); println!("{}", check); }
fn closure() { run(|check| check()); }
fn module() { let config = config::load(); config.get(); }
fn inferred() { let check = std::env::args; check(); }
fn right() { check(); load(); }
fn run(f: fn(fn() -> bool) -> bool) {}
fn kind(Config: u8) -> Config { Config::new() }
