package store

func Open() { check() }

func check() {}
