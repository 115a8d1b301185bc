// Package must ends an evaluation at its first error.
package must

// failure is an error that ends an evaluation.
type failure struct{ error }

// Check ends the evaluation with an error, unless it is nil. It is for the goroutine of the function that defers Caught.
func Check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

// Get returns the value of a call, or ends the evaluation with its error.
func Get[T any](v T, err error) T {
	Check(err)
	return v
}

// Caught sets err to the error that ended the evaluation. It is to be deferred.
func Caught(err *error) {
	switch f := recover().(type) {
	case nil:
	case failure:
		*err = f.error
	default:
		panic(f)
	}
}
