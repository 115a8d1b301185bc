package explore

import (
	"fmt"
	"strconv"
	"strings"

	"sdd/internal/pattern"
)

// unsaid returns the items of text that the section lacks, whatever their markers. A numbered one goes on after the section's last item.
func unsaid(section, text string) string {
	there := map[string]bool{}
	next, mark := 0, ""
	for _, i := range items(section) {
		m := marker().FindStringSubmatch(i)
		there[strings.TrimSpace(i[len(m[0]):])] = true
		next, _ = strconv.Atoi(m[1])
		mark = m[2]
	}
	var out []string
	for _, i := range items(text) {
		m := marker().FindStringSubmatch(i)
		key := strings.TrimSpace(i[len(m[0]):])
		if key != "" && there[key] {
			continue
		}
		if m[1] != "" && mark != "" {
			next++
			// Lines under an item are indented by the width of its marker.
			if number := fmt.Sprint(next); len(number) == len(m[1]) || !strings.Contains(i, "\n") {
				i = number + mark + i[len(m[1]+m[2]):]
			}
		}
		out = append(out, i)
	}
	return strings.Join(out, "\n")
}

// marker matches the marker of a list item at the start of a text, nothing for another text; its groups are those of a numbered item.
var marker = pattern.Late(`^(?:(?:[-*+]|(\d{1,9})([.)])) +)?`)

// items splits a text before each line that starts a list item. Other lines belong to the item above; no item starts inside a code fence.
func items(text string) []string {
	var out []string
	fenced := false
	for l := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(l), "```") {
			fenced = !fenced
		}
		starts := !fenced && marker().FindString(l) != ""
		if starts || len(out) == 0 {
			out = append(out, l)
		} else {
			out[len(out)-1] += "\n" + l
		}
	}
	return out
}
