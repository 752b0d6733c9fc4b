mod a;
mod b;
use crate::{a::{self, One, Two as Zwei}, b::*};
use std::{fmt, io::Read};
use serde::Serialize;

fn go(x: One, y: Zwei) -> Three {
    a::make();
    help()
}
