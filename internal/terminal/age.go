package terminal

import (
	"fmt"
	"time"
)

// age says how long ago a moment was that a record or git tells, in few characters; "" when it cannot be read.
func age(stamp string, now time.Time) string {
	t, err := time.Parse(time.RFC3339, stamp)
	if err != nil {
		if t, err = time.Parse(time.DateOnly, stamp); err != nil {
			return ""
		}
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
