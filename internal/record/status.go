package record

import (
	"slices"
	"strings"
)

// StatusOf returns the status of a record from the value of its key status: in lower case, and the default of its kind where the key
// is missing or, but for ideas, unknown to the kind. The uses add the effect of time and other records.
func StatusOf(k Kind, value string) string {
	value = strings.ToLower(strings.TrimSpace(value))
	usual := map[Kind]string{Idea: "active", Fact: "active", Decision: "accepted", Candidate: "pending"}[k]
	if value == "" || usual != "" && k != Idea && !slices.Contains(layouts[k].statuses, value) {
		return usual
	}
	return value
}

// Gone reports whether a record of that status is not in force any more. Lists and searches put it below the others.
func Gone(status string) bool {
	switch status {
	case "superseded", "rejected", "archived", "deleted", "outdated":
		return true
	}
	return false
}
