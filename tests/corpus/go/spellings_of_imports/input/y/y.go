package y

func Y() {}
