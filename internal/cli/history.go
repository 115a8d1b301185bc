package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tier"
)

type anchorsPage struct {
	Anchors []app.Anchored       `json:"anchors"`
	Total   map[anchor.State]int `json:"total"` // of all places, by state
}

func newAnchors(a *session) *cobra.Command {
	var drifted bool
	var since string
	cmd := command("anchors [RECORD...]", "List the places in the code that records name, and whether the code is still the same", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			all := fault.Must(w.Anchors(ctx, args...))
			if since != "" {
				all = fault.Must(w.ChangedSince(ctx, all, since))
			}
			page := anchorsPage{Anchors: all, Total: map[anchor.State]int{}}
			for _, x := range all {
				page.Total[x.State]++
			}
			if drifted {
				page.Anchors = slices.DeleteFunc(all, func(x app.Anchored) bool { return !x.Verdict.Alarm() })
			}
			if drifted || len(args) > 0 {
				w.Explain(ctx, page.Anchors)
			}
			page.Anchors = append([]app.Anchored{}, page.Anchors...)
			return a.paint(page, func(p *painter) { paintAnchors(p, page, len(args) > 0) })
		}))
	f := cmd.Flags()
	f.BoolVar(&drifted, "drifted", false, "only places whose code changed or is gone")
	f.StringVar(&since, "since", "", "only places whose code differs from the one in this commit")
	return cmd
}

// paintAnchors prints a line for each place, and with hunks the lines that changed.
func paintAnchors(p *painter, page anchorsPage, hunks bool) {
	for _, x := range page.Anchors {
		color := plainText
		switch {
		case x.State == anchor.Gone && x.Verdict.Alarm():
			color = red
		case x.Verdict.Alarm() || x.State == anchor.Moved:
			color = yellow
		}
		p.line(color, fmt.Sprintf("%-8s %s  %s", x.State, x.Place, x.ID))
		if x.Now != "" {
			p.line(plainText, "         now at "+x.Now)
		}
		if x.Why != "" {
			p.line(plainText, "         "+x.Why)
		}
		if s := x.Since; s != nil {
			p.line(plainText, "         "+sinceLine(s))
			for _, r := range history.Replaced(s.Was, s.Is) {
				if hunks {
					p.line(rowStyles[r.Mark][0], "         "+string(rune(r.Mark))+r.Text)
				}
			}
		}
	}
	if len(page.Anchors) == 0 {
		p.line(plainText, "no record names a place in the code that is in question")
	}
}

// sinceLine names a change: "since 3f2a1c0, Ann, 2026-10-01: subject".
func sinceLine(s *anchor.Since) string {
	if s.Commit == "" {
		return "changed since the last commit"
	}
	return fmt.Sprintf("since %.7s, %s, %.10s: %s", s.Commit, s.Author, s.Date, s.Subject)
}

func newAffirm(a *session) *cobra.Command {
	var moved bool
	cmd := command("affirm RECORD...", "Vouch that records still hold for the code that they name", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(args) == 0 && !moved {
				return fault.New(fault.Invalid, "affirm needs the id of a record, or --moved").With("sdd anchors --drifted lists the records")
			}
			if len(args) == 0 {
				for _, x := range fault.Must(w.Anchors(ctx)) {
					if x.State == anchor.Moved && !slices.Contains(args, x.ID) {
						args = append(args, x.ID)
					}
				}
			}
			out, text, left := []app.Affirmed{}, "", false
			for _, id := range args {
				one := fault.Must(w.Affirm(ctx, id, moved, "sdd affirm"))
				out, text, left = append(out, one), text+one.Text(), left || len(one.Left) > 0
			}
			err := a.print(map[string][]app.Affirmed{"affirmed": out}, func() string { return cmp.Or(text, "no place has moved\n") })
			return exitIf(left, errFindings, err)
		}))
	cmd.Flags().BoolVar(&moved, "moved", false, "only write the new places of code that moved, in these records or in all")
	return cmd
}

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
			s, section := a.subject(ctx, w, args[0], o)
			l, err := history.LogOf(ctx, w.Store, s, section, o.limit)
			a.noteShallow(l.Shallow)
			fault.Check(err)
			return a.paint(l, func(p *painter) { a.paintLog(p, l) })
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
func (a *session) subject(ctx context.Context, w *app.App, arg string, o historyOptions) (s history.Subject, section string) {
	fault.Check(w.Index.Refresh(ctx))
	name, section := splitSection(ctx, w.Index, arg)
	e, err := lookup.One(w.Index, name, o.project, o.scope)
	if fault.Is(err, fault.NotFound) {
		if own, src, ok := w.Decisions.InPlace(ctx, name, o.scope); ok {
			return history.Subject{ID: own.ID, Path: own.File, Source: string(src)}, section
		}
		if gone, missed := history.FindGone(ctx, w.Store, inStore(w.Store, name)); missed == nil {
			return gone, section
		}
	}
	fault.Check(err) // its hint has the nearest names
	return history.Subject{ID: e.ID, Path: e.Path}, section
}

func (a *session) noteShallow(shallow bool) {
	if shallow {
		fmt.Fprintln(a.err, "note: this clone is shallow: its oldest commit includes all earlier ones; git fetch --unshallow gets them")
	}
}

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
			w, name, done := a.elsewhere(ctx, w, with, args[0])
			defer done()
			if at, ok := a.place(ctx, w, name, o); ok {
				return a.answer(w.WhyPlace(ctx, at))
			}
			s, section := a.subject(ctx, w, name, o)
			why, err := w.Why(ctx, s, section)
			a.noteShallow(why.Shallow)
			fault.Check(err)
			return a.paint(why, func(p *painter) { paintWhy(p, why) })
		}))
	narrow(cmd, &o.project, &o.scope)
	withRepos(cmd, &with)
	return cmd
}

// elsewhere opens the repository that has a record or place, and returns its name there; w for one of the own store.
func (a *session) elsewhere(ctx context.Context, w *app.App, with, name string) (_ *app.App, there string, done func()) {
	r, there, ok, err := fault.Must(w.With(ctx, with)).InOther(ctx, name)
	if fault.Check(err); !ok {
		return w, name, func() {}
	}
	far, done, err := openUses(store.Options{Dir: fault.Must(r.WorkTree(ctx)), Tool: "sdd"}, app.Options{})
	fault.Check(err)
	return far, there, done
}

// place reads a place in the code. ok is false without such a file, and when a record has that name.
func (a *session) place(ctx context.Context, w *app.App, arg string, o historyOptions) (at anchor.Ref, ok bool) {
	fault.Check(w.Index.Refresh(ctx))
	at, bad := anchor.ParseRef(a.placeFromTop(arg))
	if bad != nil || !w.IsPlace(at) {
		return at, false
	}
	name, _ := splitSection(ctx, w.Index, arg)
	if _, err := lookup.One(w.Index, name, o.project, o.scope); fault.Is(err, fault.NotFound) {
		if _, _, ok := w.Decisions.InPlace(ctx, name, o.scope); !ok {
			return at, true
		}
	}
	if all, err := w.Concerning(ctx, at); err == nil && len(all) > 0 {
		fmt.Fprintf(a.err, "note: this is the record of that name; records concern the file too: sdd search %s\n", a.safe(at.String()))
	}
	return at, false
}

// placeFromTop is fromTop for the file of a place.
func (a *session) placeFromTop(place string) string {
	end := strings.IndexByte(place, '#')
	if end < 0 {
		end = strings.LastIndexByte(place, ':')
	}
	if end < 0 {
		end = len(place)
	}
	if end == 0 {
		return place
	}
	return a.fromTop([]string{place[:end]})[0] + place[end:]
}

func paintWhy(p *painter, why history.Why) {
	last := "\x00"
	for _, i := range why.Items {
		if i.Section != last {
			p.line(cyan, cmp.Or(i.Section, "(before the first section)"))
			last = i.Section
		}
		p.line(plainText, fmt.Sprintf("  %d: %s", i.Line, record.Outcome(i.Text)))
		p.line(dim, "     "+origin(i))
	}
}

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
