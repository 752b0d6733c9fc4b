import Kit

func greet(name: String) -> String {
    let plain = String("hello")
    return name.whisper()
}

func mark(it: Mark) -> Int { return 1 }
