package base

type Writer interface{ Write() }

type Core struct{}

func (c *Core) Start() {}
