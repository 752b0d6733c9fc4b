package shop

type Shelf struct {
	name string
}

type Box struct{}
