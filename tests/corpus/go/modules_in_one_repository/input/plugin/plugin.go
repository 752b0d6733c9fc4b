package plugin

func Load() {}
