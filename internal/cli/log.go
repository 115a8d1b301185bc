package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/lookup"
	"sdd/internal/store"
	"sdd/internal/tier"
)

// historyOptions are the flags of sdd log and sdd why.
type historyOptions struct {
	project, scope string
	limit          int
}

func newLog(a *session) *cobra.Command {
	var o historyOptions
	cmd := command("log RECORD[#SECTION]", "List the commits that changed a record, with what each changed", oneArg("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if o.limit < 0 {
				return usage("--limit is %d, it counts commits", o.limit)
			}
			s, section, err := a.subject(ctx, w, args[0], o)
			if err != nil {
				return err
			}
			l, err := history.LogOf(ctx, w.Store, s, section, o.limit)
			if err != nil {
				return err
			}
			a.noteShallow(l.Shallow)
			return a.printPainted(l, func(p *painter) { a.paintLog(p, l) })
		}))
	f := cmd.Flags()
	f.IntVarP(&o.limit, "limit", "n", 0, "at most so many commits (default: all)")
	narrow(cmd, &o.project, &o.scope)
	return cmd
}

func (a *session) paintLog(p *painter, l history.Log) {
	for _, u := range l.Uncommitted {
		by := "edited by hand"
		if u.By == "tool" {
			by = "saved by " + savedBy(u.Tool, u.Session) + "  " + u.Time
		}
		p.line(yellow, "not committed  "+by)
		p.line(plainText, "    "+u.Summary)
	}
	for _, c := range l.Commits {
		p.line(bold, fmt.Sprintf("%.10s  %s  %s  %s", c.Commit, c.Date, c.Author, c.Subject))
		p.line(plainText, "    "+c.Summary)
	}
	if len(l.Commits)+len(l.Uncommitted) == 0 {
		fmt.Fprintln(a.err, "no commit has changed it")
	}
}

// subject finds the record of log and why, and the section after a #. A deleted record comes second.
func (a *session) subject(ctx context.Context, w *app.App, arg string, o historyOptions) (history.Subject, string, error) {
	if err := w.Index.Refresh(ctx); err != nil {
		return history.Subject{}, "", err
	}
	name, section, err := splitSection(ctx, w.Index, arg)
	if err != nil {
		return history.Subject{}, "", err
	}
	e, err := lookup.One(w.Index, name, o.project, o.scope)
	if !fault.Is(err, fault.NotFound) {
		return history.Subject{ID: e.ID, Path: e.Path}, section, err
	}
	gone, goneErr := history.FindGone(ctx, w.Store, inStore(w.Store, name))
	if goneErr != nil {
		return gone, section, err // its hint has the nearest names
	}
	return gone, section, nil
}

// noteShallow notes that the clone lacks older commits.
func (a *session) noteShallow(shallow bool) {
	if shallow {
		fmt.Fprintln(a.err, "note: this clone is shallow: its oldest commit includes all earlier ones; git fetch --unshallow gets them")
	}
}

// savedBy names the tool of a save and its session.
func savedBy(tool, session string) string {
	tool = cmp.Or(tool, "a tool")
	if session != "" {
		tool += ", session " + session
	}
	return tool
}

func newWhy(a *session) *cobra.Command {
	var o historyOptions
	var with string
	cmd := command("why RECORD[#SECTION] | why PATH[#SYMBOL|:LINE]",
		"Show who wrote each item of a record, or which records concern a place in the code", oneArg("RECORD"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			w, arg, done, err := a.elsewhere(ctx, w, with, args[0])
			if err != nil {
				return err
			}
			defer done()
			args = []string{arg}
			if at, ok, err := a.place(ctx, w, args[0], o); err != nil {
				return err
			} else if ok {
				return a.answer(w.WhyPlace(ctx, at))
			}
			s, section, err := a.subject(ctx, w, args[0], o)
			if err != nil {
				return err
			}
			why, err := w.Why(ctx, s, section)
			if err != nil {
				return err
			}
			a.noteShallow(why.Shallow)
			return a.printPainted(why, func(p *painter) { paintWhy(p, why) })
		}))
	narrow(cmd, &o.project, &o.scope)
	withRepos(cmd, &with)
	return cmd
}

// elsewhere opens the repository that has a record or place, and returns its name there; w for one of the own store.
func (a *session) elsewhere(ctx context.Context, w *app.App, with, name string) (_ *app.App, there string, done func(), err error) {
	done = func() {}
	j, err := w.With(ctx, with)
	if err != nil {
		return nil, "", done, err
	}
	r, there, ok, err := j.InOther(ctx, name)
	if err != nil || !ok {
		return w, name, done, err
	}
	dir, err := r.WorkTree(ctx)
	if err != nil {
		return nil, "", done, err
	}
	far, done, err := openUses(store.Options{Dir: dir, Tool: "sdd"}, app.Options{})
	return far, there, done, err
}

// place reads a place in the code, relative to the working folder where such a file exists, else to the project's. ok is
// false when there is no such file, and when a record has that name.
func (a *session) place(ctx context.Context, w *app.App, arg string, o historyOptions) (at anchor.Ref, ok bool, err error) {
	if err := w.Index.Refresh(ctx); err != nil {
		return at, false, err
	}
	end := strings.IndexByte(arg, '#')
	if end < 0 {
		end = strings.LastIndexByte(arg, ':')
	}
	if end < 0 {
		end = len(arg)
	}
	at, bad := anchor.ParseRef(a.fromTop([]string{arg[:end]})[0] + arg[end:])
	if bad != nil || !w.IsPlace(at) {
		return at, false, nil
	}
	name, _, err := splitSection(ctx, w.Index, arg)
	if err != nil {
		return at, false, err
	}
	if _, err := lookup.One(w.Index, name, o.project, o.scope); fault.Is(err, fault.NotFound) {
		return at, true, nil
	}
	if all, err := w.Concerning(ctx, at); err == nil && len(all) > 0 {
		fmt.Fprintf(a.err, "note: this is the record of that name; records concern the file too: sdd search %s\n", a.safe(at.String()))
	}
	return at, false, nil
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
		if i.Signature != "" {
			text += "  " + i.Signature
		}
		if i.Tool != "" {
			text += "  (saved by " + savedBy(i.Tool, i.Session) + ")"
		}
	case "tool":
		text = "saved by " + savedBy(i.Tool, i.Session) + "  " + i.Saved + ", not committed"
	}
	if i.Tier != tier.Unknown {
		text += "  [" + i.Tier.String() + "]"
	}
	for _, o := range i.Also {
		text += fmt.Sprintf("; in part %.10s %s", o.Commit, o.Author)
	}
	return text
}
