package anchor

import (
	"path"
	"strings"
)

// State is what became of an anchored place.
type State string

const (
	Fresh    State = "fresh"    // the content is the same at the same place; lines may have shifted for a symbol
	Moved    State = "moved"    // the same content is at another place
	Drifted  State = "drifted"  // the place is there with another content
	Gone     State = "gone"     // neither the place nor its content is there
	Unknown  State = "unknown"  // it could not be read; never an alarm
	Unpinned State = "unpinned" // the place is there and has no fingerprint to compare with
)

// Verdict is the state of one anchor.
type Verdict struct {
	Anchor
	State State  `json:"state"`
	Now   Ref    `json:"now"`   // where the content or the place is now; of Gone the old place
	Lines [2]int `json:"lines"` // its lines now, 0 when gone
	Why   string `json:"why"`   // of Unknown, Gone and of a place that several symbols have: the reason

	alike bool // Now is another symbol with the same content, which may have been there before
}

// Alarm reports whether a reader must look: the place changed or is gone since the record was saved or affirmed, or a value of
// code_ref that looks like a path leads nowhere.
func (v Verdict) Alarm() bool {
	return (v.State == Drifted || v.State == Gone) && (len(v.Seen) > 0 || v.State == Gone && !v.Mention && NamesFile(v.Text))
}

// NamesFile reports whether a value of code_ref looks like a path. Older records have addresses, patterns and words there.
func NamesFile(ref string) bool {
	file, _, _ := strings.Cut(ref, "#")
	return file != "" && !strings.Contains(ref, "://") && !strings.ContainsAny(file, " \t\n*?{}<>|") &&
		(strings.ContainsAny(file, `/\`) || path.Ext(file) != "" || strings.Contains(ref, "#L"))
}

// Nothing reports whether a code span only looks like a place: no file or symbol has that name, and no reader vouched for it.
func (v Verdict) Nothing() bool {
	return v.Mention && len(v.Seen) == 0 && (v.State == Gone || v.State == Unknown)
}

// Since is the change that made an anchor drift.
type Since struct {
	Commit  string `json:"commit"` // "" for a change that is not committed
	Author  string `json:"author"`
	Date    string `json:"date"` // RFC 3339
	Subject string `json:"subject"`
	Was     string `json:"was"`   // the lines that the change replaced, without the same lines at both ends
	Is      string `json:"is"`    // the lines there now
	First   int    `json:"first"` // the first line of Is, now
}
