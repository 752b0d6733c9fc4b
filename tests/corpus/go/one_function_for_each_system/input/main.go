package shop

func Start() { open() }
