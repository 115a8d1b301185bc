package records

import (
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// Limit checks the number of records on a page of a list: 1 to 500, 0 for 50.
func Limit(n *int) error { return fault.Within("limit", n, 50, 1, 500) }

// OneOf is record.OneOf for a value that may be missing.
func OneOf(arg string, value *string, allowed []string) (err error) {
	if *value = strings.TrimSpace(*value); *value != "" {
		*value, err = record.OneOf(arg, *value, allowed)
	}
	return err
}

// Words returns a test whether every word of a query is part of the texts of a record, whatever its case.
func Words(query string) func(texts ...string) bool {
	words := strings.Fields(strings.ToLower(query))
	return func(texts ...string) bool {
		if len(words) == 0 {
			return true
		}
		in := strings.ToLower(strings.Join(texts, "\n"))
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(in, w) })
	}
}
