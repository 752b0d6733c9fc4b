import Kit

func plain(name: String) -> String { return name }
