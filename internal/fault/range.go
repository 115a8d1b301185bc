package fault

import "fmt"

// Within sets *n to its default where it is 0, and returns a fault of arg when it is outside lo..hi.
func Within(arg string, n *int, def, lo, hi int) error {
	if *n == 0 {
		*n = def
	}
	if *n < lo || *n > hi {
		return OutOfRange(arg, *n, def, lo, hi)
	}
	return nil
}

// OutOfRange is the fault of a number outside lo..hi, whose default is def.
func OutOfRange(arg string, n, def, lo, hi int) error {
	return New(Invalid, "%s is %d, allowed are %d to %d", arg, n, lo, hi).For(arg).
		With(fmt.Sprintf("omit it to use the default, %d", def))
}
