// note
fn f(a: i32, b: Option<i32>) -> i32 {
    let c = b?;
    if a > 0 && c > 0 {
        for i in 0..a {
            while i > c {
                print(i);
            }
        }
    } else if a < 0 {
        return 1;
    }
    match a {
        1 => 2,
        _ => 3,
    }
}
