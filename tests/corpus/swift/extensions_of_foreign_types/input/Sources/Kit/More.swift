extension String {
    func whisper() -> String { return self }
}
public struct Mark {}
extension Mark {
    func of(text: String) -> String { return text.shout() }
}
