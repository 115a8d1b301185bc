package learning

import (
	"fmt"
	"strings"
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
			fmt.Fprintf(&b, "  much like %s\n", item(s.ID, s.Content)[len("- "):])
		}
		for _, s := range r.Superseded {
			what := "takes back, now outdated:"
			if !s.Flagged {
				what = "contradicts, left as it is:"
			}
			fmt.Fprintf(&b, "  %s %s (%s)\n", what, item(s.ID, s.Content)[len("- "):], line(s.Rule))
		}
	}
	for _, w := range out.Warnings {
		if w.Line > 0 {
			fmt.Fprintf(&b, "warning, line %d: %s\n", w.Line, line(w.Text))
		} else {
			fmt.Fprintf(&b, "warning: %s\n", line(w.Text))
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
