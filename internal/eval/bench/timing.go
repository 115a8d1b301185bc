package bench

import (
	"errors"
	"fmt"
	"time"
)

// timing runs f and returns its duration.
func timing(f func() error) (time.Duration, error) {
	start := time.Now()
	err := f()
	return time.Since(start), err
}

// inTurn runs two functions n times each, alternating and in changing order, so that other work on the machine
// affects both equally, and returns the duration of each run.
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

// found is the part of a search result that the figures need.
type found struct {
	Total   int
	Results []struct{ Title string }
}

// look searches, and fails for a wrong number of matches: the time of a wrong answer is no figure.
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

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errLinuxOnly is the reason why another system cannot measure a figure.
var errLinuxOnly = errors.New("measured on Linux only")

// skipOr ignores the error of a figure that this system cannot measure.
func skipOr(err error) error {
	if errors.Is(err, errLinuxOnly) {
		return nil
	}
	return err
}
