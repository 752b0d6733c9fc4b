class Outer {
    class Inner {
        enum Kind { A, B }
    }

    /// <summary>text</summary>
    int F(int a, string b) {
        if (a > 0 && b != null) {
            foreach (var c in b) {
                while (true) {
                    break;
                }
            }
        } else if (a < 0) {
            return a switch { 1 => 2, _ => 3 };
        }
        return a == 0 ? 1 : 2;
    }
}
