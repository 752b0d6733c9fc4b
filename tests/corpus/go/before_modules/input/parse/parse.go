package parse

func Do() {}
