package shop

func handle() {}

func register(f func()) { f() }

var table = map[string]func(){"a": handle}

func Start() {
	register(handle)
	go handle()
	defer func() { handle() }()
}
