package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/history"
)

func newWhy(a *session) *cobra.Command {
	var o historyOptions
	cmd := &cobra.Command{
		Use:   "why RECORD[#SECTION]",
		Short: "Show who wrote each item of a record, and in which commit",
		Args:  oneArg("RECORD"),
		RunE: a.with(func(ctx context.Context, w *app.App, args []string) error {
			s, section, err := a.subject(ctx, w, args[0], o)
			if err != nil {
				return err
			}
			why, err := history.WhyOf(ctx, w.Store, s, section)
			if err != nil {
				return err
			}
			a.noteShallow(why.Shallow)
			return a.printPainted(why, func(p *painter) { paintWhy(p, why) })
		}),
	}
	narrow(cmd, &o.project, &o.scope)
	return cmd
}

func paintWhy(p *painter, why history.Why) {
	last := "\x00"
	for _, i := range why.Items {
		if i.Section != last {
			p.line(cyan, cmp.Or(i.Section, "(before the first section)"))
			last = i.Section
		}
		p.line(plainText, fmt.Sprintf("  %d: %s", i.Line, i.Text))
		p.line(dim, "     "+origin(i))
	}
}

// origin describes who wrote an item.
func origin(i history.WhyItem) string {
	text := "edited by hand, not committed"
	switch i.By {
	case "commit":
		text = fmt.Sprintf("%.10s  %s  %s  %s", i.Commit, i.Date, i.Author, i.Subject)
		if i.Tool != "" {
			text += "  (saved by " + savedBy(i.Tool, i.Session) + ")"
		}
	case "tool":
		text = "saved by " + savedBy(i.Tool, i.Session) + "  " + i.Saved + ", not committed"
	}
	for _, o := range i.Also {
		text += fmt.Sprintf("; in part %.10s %s", o.Commit, o.Author)
	}
	return text
}
