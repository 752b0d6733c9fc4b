// import "not/me"
package shop

/*
#include <stdio.h>
*/
import "C"

import (
	// "commented/out"
	x `example.com/shop/x`; y "example.com/shop/y"
	/* "nor/this" */ _ "example.com/shop/z"
)
import ()

var text = `
import "nor/that"
`

func A() { x.X(); y.Y(); C.puts(nil) }
