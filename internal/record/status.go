package record

import (
	"slices"
	"strings"
)

// StatusOf returns the status that a record's file gives it, from the value of its key status: in lower case, and the usual one
// of its kind where the key is missing or, but for ideas, says what the kind does not know. What time and other records make of it
// is added by the uses.
func StatusOf(k Kind, value string) string {
	value = strings.ToLower(strings.TrimSpace(value))
	usual := map[Kind]string{Idea: "active", Fact: "active", Decision: "accepted", Candidate: "pending"}[k]
	if value == "" || usual != "" && k != Idea && !slices.Contains(layouts[k].statuses, value) {
		return usual
	}
	return value
}

// Gone reports whether a record of that status does not count any more. Lists and searches put it below those that do.
func Gone(status string) bool {
	switch status {
	case "superseded", "rejected", "archived", "deleted", "outdated":
		return true
	}
	return false
}
