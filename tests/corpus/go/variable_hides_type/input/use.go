package shop

import "net/http"

func parameter(header string) {
	print(header)
	save(header)
}

func foreign(header http.Header) {
	header.Get("a")
}

func result() (check bool) {
	save(check)
	return check
}

func local() {
	header := 5
	save(header)
	var check = true
	save(check)
}

func loop(lines []string) {
	for _, header := range lines {
		save(header)
	}
	for check := range lines {
		save(check)
	}
}

func closure() {
	run(func(check func() bool) { check() })
}

func itself() {
	check := check()
	save(check)
}

func inner() {
	if check, err := other(); err != nil {
		save(check)
	}
	check()
}

func typed(header header) {
	header.Get("a")
}

func switched(x any) {
	switch header := x.(type) {
	case int:
		save(header)
	}
}

func constant() {
	const check = 4
	save(check)
}

func before() {
	save(check)
	check := 5
	save(check)
}

func fields() {
	save(holder{check: 5})
}

func several(a, check int) { save(check) }

type holder struct{ check int }

func save(x any) {}
func run(f func(func() bool)) {}
func other() (int, error) { return 0, nil }
