func parameter(Header: [String: String]) { Header.get("a") }
func closureParameter(check: () -> Bool) { _ = check() }
func local() { let Header = 5; Header.get("a") }
func local2() { let Header = Foreign(); Header.get("a") }
func looped(all: [Foreign]) { for Header in all { Header.get("a") } }
func ifLet(x: Foreign?) { if let Header = x { Header.get("a") } }
func guarded(x: Foreign?) { guard let Header = x else { return }; Header.get("a") }
func closure() { run { Header in Header.get("a") } }
func itself() { let check = check(); print(check) }
func right() { Header.get("a"); _ = check() }
