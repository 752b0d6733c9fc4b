package store

func Open() {}
