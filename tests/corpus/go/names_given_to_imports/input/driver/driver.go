package driver

func Use() {}
