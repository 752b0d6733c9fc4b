package db

type Conn struct{}

func Open(path string) (*Conn, error) { return nil, nil }

func Must(err error) *Conn { return nil }

func (c *Conn) Query() {}
