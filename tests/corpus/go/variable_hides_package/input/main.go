package main

import (
	"example.com/shop/store"
	"example.com/shop/bank"
)

func main() {
	store.Open()
}

func pay() {
	store := bank.New()
	store.Open()
}
