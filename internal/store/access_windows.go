package store

// mayWrite returns nil: on Windows only a write shows whether the user may write.
func mayWrite(*dir) error { return nil }
