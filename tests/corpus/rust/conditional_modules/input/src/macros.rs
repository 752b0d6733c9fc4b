macro_rules! cfg_run { ($($item:item)*) => { $( #[cfg(feature = "run")] $item )* } }
