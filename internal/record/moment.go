package record

import "time"

// Stamp formats a time for records: RFC 3339 in UTC, to the second.
func Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Moments is Stamp with milliseconds, unless they are 0. They keep the order of records made in one second.
func Moments(t time.Time) string {
	t = t.UTC().Truncate(time.Millisecond)
	return t.Format("2006-01-02T15:04:05.999Z07:00")
}

// Moment parses a stamp or a date into seconds since 1970; 0 is none.
func Moment(s string) int64 {
	if len(s) < len(time.DateOnly) {
		return 0
	}
	for _, layout := range []string{time.RFC3339, "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.DateOnly} {
		if t, err := time.Parse(layout, s); err == nil {
			return t.Unix()
		}
	}
	if len(s) > len(time.DateOnly) {
		return Moment(s[:len(time.DateOnly)])
	}
	return 0
}
