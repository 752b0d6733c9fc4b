actor A {}
enum E: String { case a, b
    func name() -> String { rawValue }
}
protocol P { func must() }
struct S { struct Inner { init(x: Int) {} } }
