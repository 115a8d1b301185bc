package record_test

import (
	"slices"
	"testing"
	"time"

	"sdd/internal/record"
)

func TestCompareTimes(t *testing.T) {
	at := time.Date(2026, 11, 27, 21, 47, 12, 0, time.UTC)
	var stamps []string
	for _, ms := range []int{0, 35, 390, 393, 1000} { // …12Z, …12.035Z, …12.39Z, …12.393Z, …13Z
		stamps = append(stamps, record.Moments(at.Add(time.Duration(ms)*time.Millisecond)))
	}
	mixed := []string{"2026-11-27", "2026-11-27T22:47:11.9+01:00", "2026-11-27T21:47:12Z", "2026-11-27 21:47:13", "2026-11-28"}
	for _, sorted := range [][]string{stamps, mixed} {
		if got := slices.SortedFunc(slices.Values([]string{sorted[3], sorted[1], sorted[4], sorted[0], sorted[2]}), record.CompareTimes); !slices.Equal(got, sorted) {
			t.Errorf("sorted %q, want %q", got, sorted)
		}
	}
	if record.CompareTimes("yesterday", "today") <= 0 {
		t.Error("values that are no times are not ordered as texts")
	}
}
