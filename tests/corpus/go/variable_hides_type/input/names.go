package shop

type header struct{ size int }

func (h header) Get(key string) string { return key }

func Get(key string) string { return key }

func check() bool { return true }
