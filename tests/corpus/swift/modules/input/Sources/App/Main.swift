import Core
import NIO

func run() {
    let s = Store()
    s.put(1)
    Helper()
}
