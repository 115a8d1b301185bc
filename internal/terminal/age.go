package terminal

import (
	"fmt"
	"time"
)

// age is the time since a stamp of a record or commit, in few characters; "" for a stamp that cannot be parsed.
func age(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	day := false
	if err != nil {
		t, err = time.Parse(time.DateOnly, stamp)
		day = true
	}
	if err != nil {
		return ""
	}
	switch d := now.Sub(t); {
	case day && d > -14*time.Hour && d < 24*time.Hour: // where the user is, the day may have begun
		return "today"
	case d < -time.Minute:
		return t.Format(time.DateOnly)
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return fmt.Sprintf("%d min", d/time.Minute)
	case d < 24*time.Hour:
		return fmt.Sprintf("%d h", d/time.Hour)
	case d < 60*24*time.Hour:
		return fmt.Sprintf("%d d", d/(24*time.Hour))
	case d < 2*365*24*time.Hour:
		return fmt.Sprintf("%d months", d/(30*24*time.Hour))
	default:
		return fmt.Sprintf("%d years", d/(365*24*time.Hour))
	}
}

// moment is a stamp in a readable form.
func moment(stamp string) string {
	if t, err := time.Parse(time.RFC3339, stamp); err == nil {
		return t.Format("2006-01-02 15:04")
	}
	return stamp
}
