package store

func helper() { check() }
