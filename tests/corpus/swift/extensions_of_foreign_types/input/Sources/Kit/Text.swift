extension String {
    func shout() -> String { return self }
}
