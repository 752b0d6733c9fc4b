extension Engine: Loud {
    func warm() {}
}

protocol Loud {}
