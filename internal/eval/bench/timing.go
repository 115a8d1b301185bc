package bench

import (
	"errors"
	"fmt"
	"time"
)

// timing runs f and returns how long it took.
func timing(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// inTurn runs two things n times each, in turn and in changing order, so that what else the machine does meets
// both alike, and returns how long each took.
func inTurn(n int, first, second func(i int) error) (a, b []time.Duration, err error) {
	for i := range n {
		pair := []func(int) error{first, second}
		took := make([]time.Duration, 2)
		for k := range 2 {
			which := (i + k) % 2
			if took[which], err = timing(func() error { return pair[which](i) }); err != nil {
				return nil, nil, err
			}
		}
		a, b = append(a, took[0]), append(b, took[1])
	}
	return a, b, nil
}

// found is what the figures read of a search.
type found struct {
	Total   int
	Results []struct{ Title string }
}

// look searches and fails when the number of matches is wrong: a fast wrong answer is no figure.
func (s *server) look(query string, want int) error {
	var f found
	if err := s.must("sdd_search", map[string]any{"query": query, "limit": 10}, &f); err != nil {
		return err
	}
	if f.Total != want {
		return fmt.Errorf("searching %q found %d records, not %d", query, f.Total, want)
	}
	return nil
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errLinuxOnly is why a figure cannot be had on another system.
var errLinuxOnly = errors.New("measured on Linux only")

// skipOr passes over a figure that this system cannot give.
func skipOr(err error) error {
	if errors.Is(err, errLinuxOnly) {
		return nil
	}
	return err
}
