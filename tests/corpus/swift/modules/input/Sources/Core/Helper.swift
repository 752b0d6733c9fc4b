struct Helper {
    func help() {}
}
