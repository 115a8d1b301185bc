package tokens

import "encoding/json"

// An answer has two forms, a text and JSON, and a client may read either: both stay within the budget.

// TextOnly is the budget from which the JSON of an answer is held to it too. Below, the names of its keys alone may take more,
// and only the text is.
const TextOnly = 100

// JSON is an answer as it is sent. It is for values that can be encoded, and panics on others.
func JSON(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// WithinJSON reports whether the JSON of an answer stays within the budget, as far as it has to.
func WithinJSON(v any, budget int) bool {
	return budget < TextOnly || Within(JSON(v), budget)
}

// WithinBoth reports whether an answer stays within the budget in both of its forms.
func WithinBoth(text string, v any, budget int) bool {
	return Within(text, budget) && WithinJSON(v, budget)
}
