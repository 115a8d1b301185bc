package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/anchor"
	"sdd/internal/app"
)

// anchorsPage lists places as JSON.
type anchorsPage struct {
	Anchors []app.Anchored       `json:"anchors"`
	Total   map[anchor.State]int `json:"total"` // of all places, by state
}

func newAnchors(a *session) *cobra.Command {
	var drifted bool
	var since string
	cmd := command("anchors [RECORD...]", "List the places in the code that records name, and whether the code is still the same", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			all, err := w.Anchors(ctx, args...)
			if err != nil {
				return err
			}
			if since != "" {
				if all, err = w.ChangedSince(ctx, all, since); err != nil {
					return err
				}
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
			if page.Anchors == nil {
				page.Anchors = []app.Anchored{}
			}
			return a.printPainted(page, func(p *painter) { paintAnchors(p, page, len(args) > 0) })
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
		switch {
		case x.Now != "":
			p.line(plainText, "         now at "+x.Now)
		case x.Why != "":
			p.line(plainText, "         "+x.Why)
		}
		if s := x.Since; s != nil {
			p.line(plainText, "         "+sinceLine(s))
			if hunks {
				paintHunk(p, s)
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

func paintHunk(p *painter, s *anchor.Since) {
	for _, side := range []struct{ sign, text string }{{"-", s.Was}, {"+", s.Is}} {
		for l := range strings.Lines(side.text) {
			p.line(map[string]string{"-": red, "+": green}[side.sign], "         "+side.sign+strings.TrimRight(l, "\r\n"))
		}
	}
}

func newAffirm(a *session) *cobra.Command {
	var moved bool
	cmd := command("affirm RECORD...", "Vouch that records still hold for the code that they name", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(args) == 0 && !moved {
				return usage("affirm needs the id of a record, or --moved")
			}
			if len(args) == 0 {
				all, err := w.Anchors(ctx)
				if err != nil {
					return err
				}
				for _, x := range all {
					if x.State == anchor.Moved && !slices.Contains(args, x.ID) {
						args = append(args, x.ID)
					}
				}
			}
			out := affirmedPage{Affirmed: []app.Affirmed{}}
			for _, id := range args {
				one, err := w.Affirm(ctx, id, moved, "sdd affirm")
				if err != nil {
					return err
				}
				out.Affirmed = append(out.Affirmed, one)
			}
			return a.answer(out, nil)
		}))
	cmd.Flags().BoolVar(&moved, "moved", false, "only write the new places of code that moved, in these records or in all")
	return cmd
}

type affirmedPage struct {
	Affirmed []app.Affirmed `json:"affirmed"`
}

func (p affirmedPage) Text() string {
	var b strings.Builder
	for _, one := range p.Affirmed {
		b.WriteString(one.Text())
	}
	if len(p.Affirmed) == 0 {
		b.WriteString("no place has moved\n")
	}
	return b.String()
}
