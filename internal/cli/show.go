package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

func newShow(a *session) *cobra.Command {
	var ask lookup.Ask
	var at string
	var hub bool
	cmd := command("show RECORD[#SECTION]", "Print a record, by id or its beginning, topic key, title or file", oneArg("RECORD"), nil)
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		w, err := w.With(ctx, ask.With)
		if err != nil {
			return err
		}
		if hub {
			ask.ID = args[0]
			far, missed, err := w.HubGet(ctx, ask)
			if a.noteMissed(missed); missed == nil {
				return a.answer(far, err)
			}
		}
		name, section, err := splitSection(ctx, w.Index, args[0])
		if err != nil {
			return err
		}
		if ask.ID = w.Qualified(name); section != "" {
			ask.Sections = append(ask.Sections, section)
		}
		if cmd.Flags().Changed("at") {
			return a.showAt(ctx, w, ask, at)
		}
		if err = a.show(ctx, w, ask); !fault.Is(err, fault.NotFound) {
			return err
		}
		return a.orPrivate(ctx, w, err, func(far *app.App) error { return a.show(ctx, far, ask) })
	})
	f := cmd.Flags()
	f.StringVar(&at, "at", "", "commit, branch or tag: print the record as it was there")
	narrow(cmd, &ask.Project, &ask.Scope)
	f.StringSliceVar(&ask.Sections, "sections", nil, "only these sections")
	f.IntVar(&ask.Offset, "offset", 0, "with --json: bytes of the first section to skip")
	f.IntVar(&ask.MaxTokens, "max-tokens", 0,
		"with --json: budget in o200k tokens, 50 to 100000 (default: budgets.get of config.yaml, else 4000)")
	withRepos(cmd, &ask.With)
	hubFlag(cmd, &hub)
	noZero(cmd, "max-tokens")
	return cmd
}

// splitSection splits RECORD#SECTION, unless a record has the whole argument as its name.
func splitSection(ctx context.Context, ix *index.Index, arg string) (name, section string, err error) {
	at := strings.LastIndexByte(arg, '#')
	if at <= 0 || at == len(arg)-1 {
		return arg, "", nil
	}
	if err := ix.Refresh(ctx); err != nil || len(ix.Lookup(index.Ref{ID: arg})) > 0 {
		return arg, "", err
	}
	return arg[:at], strings.TrimSpace(arg[at+1:]), nil
}

func (a *session) show(ctx context.Context, w *app.App, ask lookup.Ask) error {
	if a.json {
		r, err := w.Get(ctx, ask)
		return a.answerWith(r, err, nil)
	}
	st, ix := w.Store, w.Index
	e, f, err := lookup.Read(ctx, st, ix, func() (index.Entry, error) { return lookup.One(ix, ask.ID, ask.Project, ask.Scope) })
	if err != nil {
		return err
	}
	for _, one := range lookup.Anchors(ctx, w.Tree, e.Anchors) {
		if one.Mark != "" {
			fmt.Fprintln(a.err, "code: "+a.safe(one.Mark))
		}
	}
	return a.showText(record.Parse(e.Path, f.Bytes, record.Defaults{Project: st.Project()}), f.Bytes, ask.Sections)
}

// showText prints a record's bytes, or only some sections.
func (a *session) showText(r record.Record, src []byte, sections []string) error {
	if len(sections) == 0 {
		return a.print(nil, func() string { return string(src) })
	}
	wanted, err := lookup.Sections(r, sections)
	if err != nil {
		return err
	}
	var b strings.Builder
	for _, s := range wanted {
		b.WriteString(s.Text + "\n")
	}
	return a.print(nil, b.String)
}

// shownAt is a record in the state of a commit.
type shownAt struct {
	lookup.Record
	Commit string `json:"commit"`
}

func (a *session) showAt(ctx context.Context, w *app.App, ask lookup.Ask, rev string) error {
	if err := w.Index.Refresh(ctx); err != nil {
		return err
	}
	var known *history.Subject
	switch e, err := lookup.One(w.Index, ask.ID, ask.Project, ask.Scope); {
	case err == nil:
		known = &history.Subject{ID: e.ID, Path: e.Path}
	case !fault.Is(err, fault.NotFound):
		return err
	}
	r, src, commit, err := history.At(ctx, w.Store, inStore(w.Store, ask.ID), known, rev)
	if err != nil {
		return err
	}
	if !a.json {
		return a.showText(r, src, ask.Sections)
	}
	out, err := lookup.OfVersion(w.Store, r, ask)
	return a.answerWith(shownAt{out, commit}, err, nil)
}
