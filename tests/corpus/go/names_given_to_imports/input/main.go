package main

import s "example.com/shop/store"
import . "example.com/shop/words"
import _ "example.com/shop/driver"

func main() {
	s.Open()
	Hello()
	driver.Use()
}
