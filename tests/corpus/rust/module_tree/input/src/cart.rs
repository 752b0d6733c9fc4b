mod line;
use crate::model::Item;
use super::inline::deep::dig;
use self::line::Line;
