// Package m measures.
package m

/* A block
comment. */
func Deep(a, b int, c ...string) (n int, err error) { // behind code
	for i := 0; i < a; i++ {
		if i > b && a > 0 || b == 1 {
			switch {
			case i == 2:
				n++

				// alone
				n--
			default:
				return
			}
		} else if i == 3 {
			n = 4
		} else {
			n = 5
		}
	}
	select {
	case <-done:
	default:
	}
	func() { n++ }()
	return n, nil
}

type T struct {
	a int

	b int
}
