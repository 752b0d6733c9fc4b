package main

import "github.com/acme/tool/parse"
import "github.com/acme/other"

func main() { parse.Do() }
