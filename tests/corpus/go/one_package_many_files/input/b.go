package shop

type Money int

func cents(n int) Money { return Money(n) }
