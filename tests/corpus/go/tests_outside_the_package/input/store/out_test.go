package store_test

import "example.com/shop/store"

func useIt() {
	store.Open()
	check()
}

func check() {}
