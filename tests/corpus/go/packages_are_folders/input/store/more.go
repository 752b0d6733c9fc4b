package store

func close() {}
