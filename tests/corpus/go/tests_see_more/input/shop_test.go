package shop

import "testing"

type label struct {
	text string
}

func TestPrice(t *testing.T) {
	got := label{Price(clean("x"))}
	check(t, got)
}

func check(t *testing.T, got label) {
}
