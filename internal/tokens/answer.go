package tokens

import (
	"encoding/json"
	"sort"
)

// An answer has two forms, text and JSON. A client may read either, so both stay within the budget.
// TextOnly is the least budget that also limits the JSON of an answer. A smaller budget limits only the text, because the
// names of the JSON's keys alone may exceed it.
const TextOnly = 100

// JSON returns an answer as JSON, as the program sends it. It panics if v cannot be encoded.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// WithinJSON reports whether the JSON of an answer stays within the budget, or the budget is below TextOnly.
func WithinJSON(v any, budget int) bool {
	var m merger
	return m.withinJSON(v, budget)
}

func (m *merger) withinJSON(v any, budget int) bool {
	return budget < TextOnly || m.within(JSON(v), budget)
}

// WithinBoth reports whether an answer stays within the budget in both of its forms.
func WithinBoth(text string, v any, budget int) bool {
	var m merger
	return m.within(text, budget) && m.withinJSON(v, budget)
}

// Room returns how many of n things fit: the largest n for which fits is true, or 0. Where n fit, fewer must fit too.
func Room(n int, fits func(n int) bool) int {
	if n <= 0 || fits(n) {
		return max(n, 0) // the common case
	}
	return sort.Search(n-1, func(i int) bool { return !fits(i + 1) })
}
