package fact

import (
	"fmt"
	"strconv"
	"time"

	"sdd/internal/record"
)

// The state of a fact is what counts now. What its file says wins, but for an active one, which is stale when
//
//   - valid_until has passed or valid_from has not come,
//   - its days are over, counted from refreshed, else created, else valid_from: those of its ttl, without a ttl 30 at
//     level 1, 7 at level 2 and 3 at level 3 (never at level 0, nor what discovery found: that looks itself), or
//   - a file that refresh_on matches is not as it was when the fact was refreshed (changed.go).
//
// A fact whose times lie in the future because a clock jumped is as fresh as one of now.

// judge sets State and Why as of now, in seconds since 1970; touched says that its files have changed.
func (f *Fact) judge(now int64, touched bool) {
	f.State, f.Why = f.Status, ""
	if f.Status != active {
		return
	}
	switch {
	case f.expires > 0 && now >= f.expires:
		f.State = stale
		if f.until > 0 && now >= f.until {
			f.Why = "it was valid until " + f.ValidUntil
		} else {
			f.Why = fmt.Sprintf("its %s were over on %s", plural(f.days(), "day"), time.Unix(f.expires, 0).UTC().Format(time.DateOnly))
		}
	case f.from > now && f.from > f.created:
		f.State, f.Why = stale, "it is valid from "+f.ValidFrom+" only"
	case touched:
		f.State, f.Why = stale, "files that "+record.OneLine(f.TTL.RefreshOn)+" matches have changed since it was refreshed"
	}
}

// turns is the next moment at which the state changes by itself, 0 for never.
func (f *Fact) turns(now int64) int64 {
	if f.Status != active {
		return 0
	}
	next := int64(0)
	for _, t := range []int64{f.expires, f.from} {
		if t > now && (next == 0 || t < next) {
			next = t
		}
	}
	return next
}

func plural(n float64, word string) string {
	if n != 1 {
		word += "s"
	}
	return strconv.FormatFloat(n, 'f', -1, 64) + " " + word
}
