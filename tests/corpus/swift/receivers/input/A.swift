protocol Store { func put() }
struct Disk: Store {
    func put() {}
    static func open() -> Disk { Disk() }
}
class User {
    let store: Store
    var disk = Disk()
    func go(given: Disk?) {
        store.put()
        self.disk.put()
        given?.put()
        let made = Disk.open()
        made.put()
    }
}
