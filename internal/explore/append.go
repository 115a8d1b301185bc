package explore

import "strings"

// unsaid returns the items of text that the section lacks. A text that is no list counts as one item.
func unsaid(section, text string) string {
	there := map[string]bool{}
	for _, i := range items(section) {
		there[strings.TrimSpace(i)] = true
	}
	var out []string
	for _, i := range items(text) {
		if key := strings.TrimSpace(i); key == "" || !there[key] {
			out = append(out, i)
		}
	}
	return strings.Join(out, "\n")
}

// items splits a text before each line that starts a list item. Other lines belong to the item above; no item starts
// inside a code fence.
func items(text string) []string {
	var out []string
	fenced := false
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		}
		starts := !fenced && len(l) > 1 && strings.IndexByte("-*+", l[0]) >= 0 && l[1] == ' '
		if starts || len(out) == 0 {
			out = append(out, l)
		} else {
			out[len(out)-1] += "\n" + l
		}
	}
	return out
}
