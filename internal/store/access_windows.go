package store

// mayWrite knows nothing: Windows tells what a user may do only by doing it.
func mayWrite(*dir) error { return nil }
