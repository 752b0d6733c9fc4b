// note
func f(_ a: Int, b: Int?) -> Int {
    guard let c = b else { return 0 }
    if a > 0 && c > 0 {
        for i in 0..<a {
            while i > c {
                print(i)
            }
        }
    } else if a < 0 {
        return a == 1 ? 2 : 3
    }
    switch a {
    case 1: return b ?? 4
    case 2, 3: return 5
    default: return 6
    }
}
