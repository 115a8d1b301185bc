package record

import (
	"slices"
	"strings"
)

// StatusOf returns the status of a record from the value of its key status, in lower case. It returns the default of the
// kind for a missing value and, except for ideas, for an unknown one. The packages of the kinds add the effect of time
// and other records.
func StatusOf(k Kind, value string) string {
	value = strings.ToLower(strings.TrimSpace(value))
	usual := map[Kind]string{Idea: "active", Fact: "active", Decision: "accepted", Candidate: "pending"}[k]
	if value == "" || usual != "" && k != Idea && !slices.Contains(layouts[k].statuses, value) {
		return usual
	}
	return value
}

// Gone reports whether a record of that status is no longer in force. Lists and searches put it below the others.
func Gone(status string) bool { return slices.Contains(gone, status) }

var gone = []string{"superseded", "rejected", "archived", "deleted", "outdated"}
