package terminal

import (
	"fmt"
	"time"
)

// age is the time since a stamp of a record or commit, in few characters; "" for a stamp that cannot be parsed.
func age(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		t, err = time.Parse(time.DateOnly, stamp)
	}
	if err != nil {
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

// moment is a stamp in a readable form.
func moment(stamp string) string {
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return stamp
}
