package learning

import (
	"fmt"
	"strings"

	"sdd/internal/record"
)

// Text renders what became of each learning, a line each, for an agent or a person.
func (out Learned) Text() string {
	var b strings.Builder
	for _, r := range out.Results {
		fmt.Fprintf(&b, "%s %s (%s)", r.ID, strings.Join(append([]string{}, orAction(r)...), ", "), r.File)
		if r.Status != active {
			fmt.Fprintf(&b, ", it is %s", r.Status)
		}
		b.WriteString("\n")
		for _, s := range r.Similar {
			fmt.Fprintf(&b, "  much like %s\n", record.Item(s.ID, s.Content)[len("- "):])
		}
		for _, s := range r.Superseded {
			fmt.Fprintf(&b, "  may contradict %s (%s)\n", record.Item(s.ID, s.Content)[len("- "):], record.OneLine(s.Rule))
		}
	}
	for _, w := range out.Warnings {
		if w.Line > 0 {
			fmt.Fprintf(&b, "warning, line %d: %s\n", w.Line, record.OneLine(w.Text))
		} else {
			fmt.Fprintf(&b, "warning: %s\n", record.OneLine(w.Text))
		}
	}
	return b.String()
}

func orAction(r Stored) []string {
	if len(r.News) == 0 {
		return []string{r.Action}
	}
	return r.News
}
