package api

func Call() {}
