package candidate

import (
	"fmt"
	"strings"
)

// Numbers are the figures of the inbox. All but Queued come from the files.
type Numbers struct {
	Pending  int     `json:"pending"`
	Queued   int     `json:"queued"`
	Approved int     `json:"approved"` // in the inbox, and the facts and decisions whose source is a commit
	Rejected int     `json:"rejected"`
	Ratio    float64 `json:"approval_ratio"` // approved of all decided, 0 to 1; 0 for none
}

// FromCommit reports whether the source of a fact or decision is a commit.
func FromCommit(source string) bool { return strings.HasPrefix(source, commitSource("")) }

// With adds that many facts and decisions whose source is a commit to the approved ones.
func (n Numbers) With(taken int) Numbers {
	n.Approved += taken
	if decided := n.Approved + n.Rejected; decided > 0 {
		n.Ratio = float64(n.Approved) / float64(decided)
	}
	return n
}

// Text returns the figures in one line, "" when all are 0.
func (n Numbers) Text() string {
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{n.Pending, "pending"}, {n.Queued, "queued (from commits)"}, {n.Approved, "approved"}, {n.Rejected, "rejected"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.what))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	text := "inbox: " + strings.Join(parts, ", ")
	if n.Approved+n.Rejected > 0 {
		text += fmt.Sprintf(" (%.0f %% approved)", 100*n.Ratio)
	}
	return text + "\n"
}
