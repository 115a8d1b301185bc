package record

import (
	"slices"
	"strings"

	"sdd/internal/fault"
)

// Statuses of a record whose front matter gives none: its lines disagree, or it cannot be read.
const (
	inConflict    = "in conflict"
	unreadable    = "unreadable"
	unknownStatus = "of unknown status "
)

// statusOf returns the status by the key status: the default of the kind for none, and for an unknown one a status that says so and is not
// in force; but a candidate then waits, and an idea keeps it. The packages of the kinds add the effect of time and other records.
func statusOf(k Kind, value string) string {
	value = strings.ToLower(strings.TrimSpace(value))
	usual := map[Kind]string{Idea: "active", Fact: "active", Decision: "accepted", Candidate: "pending"}[k]
	switch known := slices.Contains(layouts[k].statuses, value); {
	case value == "", k == Candidate && !known:
		return usual
	case usual == "", k == Idea, known, value == inConflict, value == unreadable:
		return value
	}
	return unknownStatus + fault.Cut(Inline(value), 40)
}

// Gone reports whether a record of that status is no longer in force. Lists and searches put it below the others.
func Gone(status string) bool {
	return slices.Contains(gone, status) || strings.HasPrefix(status, unknownStatus)
}

var gone = []string{"superseded", "rejected", "archived", "deleted", "outdated", inConflict, unreadable}
