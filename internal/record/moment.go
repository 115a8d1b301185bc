package record

import (
	"cmp"
	"strings"
	"time"
)

// Stamp formats a time for records: RFC 3339 in UTC, to the second.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Moments is Stamp with milliseconds, unless they are 0. As texts they have no order (trailing zeros are left out): use CompareTimes.
func Moments(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	return t.Format("2006-01-02T15:04:05.999Z07:00")
}

// Moment parses a stamp or a date into seconds since 1970; 0 is none.
func Moment(s string) int64 {
	t, ok := Time(s)
	if !ok && len(s) > len(time.DateOnly) {
		t, ok = Time(s[:len(time.DateOnly)])
	}
	if !ok {
		return 0
	}
	return t.Unix()
}

// Time parses a stamp, a date, or a date and a time in one of the usual forms.
func Time(s string) (time.Time, bool) {
	s = strings.TrimSpace(s)
	for _, layout := range []string{time.RFC3339, time.DateOnly, time.DateTime, "2006-01-02T15:04:05", "2006-01-02T15:04",
		"2006-01-02 15:04"} {
		if len(s) < len(time.DateOnly) {
			break
		}
		if t, err := time.Parse(layout, s); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}

// CompareTimes orders two values of a created key, the earlier one first. Values that are no times are ordered as texts.
func CompareTimes(a, b string) int {
	x, utc := strings.CutSuffix(a, "Z")
	y, too := strings.CutSuffix(b, "Z")
	if day := len(time.DateOnly); (utc || len(a) == day) && (too || len(b) == day) { // nearly all; parsing them all is slow
		return cmp.Compare(x, y)
	}
	t, ok := Time(a)
	if u, too := Time(b); ok && too {
		return t.Compare(u)
	}
	return cmp.Compare(a, b)
}
