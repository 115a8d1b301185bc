package decision

import (
	"fmt"
	"strings"

	"sdd/internal/record"
)

// Text renders the results, a line each, for an agent or a person.
func (out Recorded) Text() string {
	var b strings.Builder
	for _, r := range out.Results {
		where := r.File
		if where == "" {
			where = fmt.Sprintf("confidence %.2f, not kept", r.Confidence)
		}
		fmt.Fprintf(&b, "%s %s (%s)", r.ID, r.Action, where)
		if r.Action != Waiting && r.Status != accepted {
			fmt.Fprintf(&b, ", it is %s", record.Inline(r.Status))
		}
		b.WriteString(": " + record.Inline(r.Decision) + "\n")
		for _, id := range r.Superseded {
			fmt.Fprintf(&b, "  %s is superseded now\n", id)
		}
	}
	for _, s := range out.Suggestions {
		fmt.Fprintf(&b, "suggestion: %s %s=[%s] (%.2f): %s\n", s.For, s.Relation, s.ID, s.Score, s.Text)
	}
	for _, w := range out.Warnings {
		if w.Line > 0 {
			fmt.Fprintf(&b, "warning, line %d: %s\n", w.Line, record.Inline(w.Text))
		} else {
			fmt.Fprintf(&b, "warning: %s\n", record.Inline(w.Text))
		}
	}
	return b.String()
}

// Line is a decision as the rest of a line: its id, day, status and title, and why.
func (d Decision) Line() string { return d.line("") }
