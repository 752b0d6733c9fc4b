package main

import "example.com/shop/go-yaml"
import "example.com/shop/api/v2"

func main() {
	yaml.Parse()
	api.Call()
}
