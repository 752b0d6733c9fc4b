package shop

type Number interface{ ~int | ~float64 }

type List[T any] struct{ items []T }

func (l *List[T]) Push(item T) { l.grow() }

func (l *List[T]) grow() {}

func Sum[T Number](items ...T) (total T) { return }

func Use() {
	l := &List[int]{}
	l.Push(1)
	Sum[int](1, 2)
}
