package other

func cents() {}

func Use() { cents() }
