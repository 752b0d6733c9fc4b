package lint

func Run() {}
