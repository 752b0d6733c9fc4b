package main

import (
	"fmt"

	"example.com/shop/store"
	"github.com/pkg/errors"
)

func main() {
	fmt.Println(store.Open(), errors.New("x"))
}
