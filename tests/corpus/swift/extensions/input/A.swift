class Engine {
    func start() { warm() }
}
