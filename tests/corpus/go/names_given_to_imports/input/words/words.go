package words

func Hello() {}
