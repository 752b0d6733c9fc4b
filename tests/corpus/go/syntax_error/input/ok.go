package shop

func Ok() { good() }
