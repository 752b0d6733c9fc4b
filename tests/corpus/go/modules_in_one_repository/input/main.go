package main

import (
	"example.com/shop/plugin"
	"example.com/tools/lint"
)

func main() {
	plugin.Load()
	lint.Run()
}
