use crate::run;

pub struct Entry;

fn inner() {
    use run::go;
    go();
}
