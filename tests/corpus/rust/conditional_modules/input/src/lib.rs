#[macro_use]
mod macros;

cfg_run! {
    pub mod run;

    pub fn start() {
        run::go();
    }
}

cfg_if::cfg_if! {
    if #[cfg(unix)] {
        mod unix;
        pub use unix::name;
    } else {
        mod other;
        pub use other::name;
    }
}
