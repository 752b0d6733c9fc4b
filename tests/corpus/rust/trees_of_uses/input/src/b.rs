pub struct Three;
pub fn help() -> Three { Three }
