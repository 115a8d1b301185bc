package store

func makePipe(string) bool { return false }
