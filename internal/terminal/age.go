package terminal

import (
	"fmt"
	"time"
)

// age says how long ago a moment was that a record or git tells, in few characters; "" when it cannot be read.
func age(stamp string, now time.Time) string {
	t, ok := parseTime(stamp)
	if !ok {
		return ""
	}
	switch d := now.Sub(t); {
	case d < -time.Minute || d >= 60*24*time.Hour:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	default:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	}
}

// moment is a stamp as people read it.
func moment(stamp string) string {
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return stamp
}

func parseTime(stamp string) (t time.Time, ok bool) {
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, stamp); err == nil {
			return t, true
		}
	}
	return t, false
}
