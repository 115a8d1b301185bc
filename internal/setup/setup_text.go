package setup

import (
	"cmp"
	"fmt"
	"strings"
)

// Lines renders the changes for people.
func (c Changes) Lines() []string {
	var out []string
	for _, x := range c.Changes {
		out = append(out, strings.TrimRight(fmt.Sprintf("%-16s %-17s %s", c.verb(x.State), x.For, x.place()), " "))
		for _, text := range []string{x.Text, x.Fix} {
			if text != "" {
				out = append(out, strings.Repeat(" ", 17)+text)
			}
		}
		if x.Backup != "" && x.State == Added {
			out = append(out, strings.Repeat(" ", 17)+"what was there before is kept in "+x.Backup)
		}
		if len(x.Lines) > 0 {
			out = append(append(append(out, ""), x.Lines...), "")
		}
	}
	return out
}

// place is the file, with the line if there is one.
func (x Change) place() string {
	if x.Line > 0 {
		return fmt.Sprintf("%s:%d", x.Shown, x.Line)
	}
	return x.Shown
}

// verbs are the states whose words for people are others.
var verbs = map[ChangeState]string{
	ByHand: "by hand", Left: "left alone", Absent: "nothing there", Manual: "add by hand", Unsupported: "not possible",
}

func (c Changes) verb(s ChangeState) string {
	if c.DryRun && (s == Added || s == Updated || s == Removed) {
		return "would be " + string(s)
	}
	return cmp.Or(verbs[s], string(s))
}
