package fault

// stop is the panic value of Check. It suits work in which every step may fail and none can go on then: no step passes an error up.
type stop struct{ error }

// Check ends the work with err, if there is one. It is for the goroutine of the function that defers Caught.
func Check(err error) {
	if err != nil {
		panic(stop{err})
	}
}

// Must returns v, or ends the work with err, as Check does.
func Must[T any](v T, err error) T {
	Check(err)
	return v
}

// Caught sets err to the error that ended the work. It is to be deferred.
func Caught(err *error) {
	switch p := recover().(type) {
	case nil:
	case stop:
		*err = p.error
	default:
		panic(p)
	}
}
