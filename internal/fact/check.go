package fact

import (
	"fmt"
	"time"
)

// Issue is a defect of a fact's file that its schema does not find.
type Issue struct {
	Key     string // of the front matter
	Expired bool   // its time is over; otherwise the value is invalid
	Message string
	Fix     string
}

// Check returns the defects of the fact in the file at path, relative to .sdd, as of now. A fact that is stale only by
// the default of its level has no issue: its file does not ask for a refresh.
func Check(path string, src []byte, now time.Time) []Issue {
	f := parse(path, src)
	var out []Issue
	if text := f.refreshOn(); text != "" {
		if _, err := compileGlob(text); err != nil {
			out = append(out, Issue{Key: "ttl", Message: fmt.Sprintf("refresh_on %q is no pattern of paths", text),
				Fix: "give paths from the project's folder, such as api/** or go.mod"})
		}
	}
	if f.Status != active {
		return out
	}
	switch {
	case f.until > 0 && f.until <= now.Unix():
		out = append(out, Issue{"valid_until", true, "the fact was valid until " + f.ValidUntil, "refresh it, or archive it"})
	case f.TTL != nil && f.TTL.Days > 0 && f.expires > 0 && f.expires <= now.Unix():
		f.judge(now.Unix(), false)
		out = append(out, Issue{"ttl", true, "the fact is stale: " + f.Why, "refresh it; sdd fact gc --write does what on_expire says"})
	}
	return out
}
