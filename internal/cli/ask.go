package cli

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/lookup"
	"sdd/internal/record"
)

func newContext(a *session) *cobra.Command {
	var q answer.Query
	var hub bool
	causal := true
	cmd := command("context QUESTION", "What this project knows about a question, in one text inside a token budget", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			q.Query = strings.Join(args, " ")
			q.IncludeCausal = &causal
			q.AsOne = a.json
			out, missed, err := w.BriefFrom(ctx, hub, q)
			a.noteMissed(missed)
			for _, s := range out.Suggestions {
				fmt.Fprintln(a.err, "suggestion: "+a.safe(asCommand(s)))
			}
			fault.Check(err)
			return a.print(answer.Whole{Context: out.Context, Result: out}, func() string {
				return strings.Replace(out.Context, " sdd_get ", " sdd show ", 1) // the lead's
			})
		}))
	f := cmd.Flags()
	f.IntVar(&q.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.context of config.yaml, else 3000)")
	f.StringVar(&q.Mode, "mode", "", "auto, discovery, route (reads only) or extract (default auto)")
	f.BoolVar(&causal, "include-causal", true, "include the causes of decisions")
	f.BoolVar(&q.AutoExtractGit, "auto-extract-git", false, "read new commits first")
	f.StringVar(&q.Agent, "agent", "", "whose local learnings count, such as ed-001")
	f.StringVar(&q.TaskHint, "task-hint", "", "more words about what is to be done")
	withRepos(cmd, &q.With)
	hubFlag(cmd, &hub)
	return cmd
}

func newSearch(a *session) *cobra.Command {
	var q lookup.Query
	var hub bool
	cmd := command("search [QUERY]", "Find records by their words; without a query list the newest", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			q.Query = strings.Join(args, " ")
			q.Limit = cmp.Or(q.Limit, 10)
			found, missed, err := w.SearchFrom(ctx, hub, q)
			a.noteMissed(missed)
			fault.Check(err)
			return a.print(found, func() string {
				var b strings.Builder
				for _, h := range found.Results {
					fmt.Fprintf(&b, "%s  %s%s\n    %s:%d", h.ID, h.Mark(), h.Title, h.File, h.Line)
					if h.Section != "" {
						b.WriteString("  " + h.Section)
					}
					if h.Snippet != "" {
						b.WriteString(": " + h.Snippet)
					}
					b.WriteString("\n")
				}
				if missed == nil {
					a.noteLine(found.Note)
				}
				for _, name := range found.Missing {
					fmt.Fprintf(a.err, "note: the records of %s are missing: sdd repos sync %s fetches them, or says why not\n", name, name)
				}
				a.noteMore(len(found.Results), found.Total, found.NextCursor, "nothing found")
				return b.String()
			})
		}))
	f := cmd.Flags()
	f.StringVar(&q.Type, "type", "", "explore, learning, idea, fact, decision or candidate")
	f.StringVar(&q.Project, "project", "", "only this project (default: all)")
	f.StringVar(&q.Scope, "scope", "", "only this scope: project, personal, private, local or global")
	f.StringVar(&q.Status, "status", "", "only this status")
	f.StringVar(&q.SessionID, "session-id", "", "only what this session saved")
	f.IntVar(&q.Limit, "limit", 0, "results a page, 1 to 100 (default 40)")
	f.StringVar(&q.Cursor, "cursor", "", "where the last page ended")
	f.IntVar(&q.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.search of config.yaml, else 2000)")
	withRepos(cmd, &q.With)
	hubFlag(cmd, &hub)
	return cmd
}

func newShow(a *session) *cobra.Command {
	var ask lookup.Ask
	var at string
	var hub bool
	cmd := command("show RECORD[#SECTION]", "Print a record, by id (idea-1a2b3c will do), topic key, title or file", oneArg("RECORD"), nil)
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		w = fault.Must(w.With(ctx, ask.With))
		if hub {
			ask.ID = args[0]
			far, missed, err := w.HubGet(ctx, ask)
			if a.noteMissed(missed); missed == nil {
				return a.answer(far, err)
			}
		}
		name, section := splitSection(ctx, w.Index, args[0])
		if ask.ID = w.Qualified(name); section != "" {
			ask.Sections = append(ask.Sections, section)
		}
		if cmd.Flags().Changed("at") {
			return a.showAt(ctx, w, ask, at)
		}
		err := a.show(ctx, w, ask)
		if !fault.Is(err, fault.NotFound) {
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
	return cmd
}

// splitSection splits RECORD#SECTION, unless a record has the whole argument as its name.
func splitSection(ctx context.Context, ix *index.Index, arg string) (name, section string) {
	at := strings.LastIndexByte(arg, '#')
	if at <= 0 || at == len(arg)-1 {
		return arg, ""
	}
	fault.Check(ix.Refresh(ctx))
	if len(ix.Lookup(index.Ref{ID: arg})) > 0 {
		return arg, ""
	}
	return arg[:at], strings.TrimSpace(arg[at+1:])
}

func (a *session) show(ctx context.Context, w *app.App, ask lookup.Ask) (err error) {
	defer fault.Caught(&err) // the caller decides on it
	if a.json {
		return a.print(fault.Must(w.Get(ctx, ask)), nil)
	}
	st, ix := w.Store, w.Index
	e, f, err := lookup.Read(ctx, st, ix, func() (index.Entry, error) { return lookup.One(ix, ask.ID, ask.Project, ask.Scope) })
	if fault.Is(err, fault.NotFound) {
		if r, src, ok := w.Unfiled(ctx, ask); ok {
			return a.showText(r, src, ask.Sections)
		}
	}
	fault.Check(err)
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
	var b strings.Builder
	for _, s := range fault.Must(lookup.Sections(r, sections)) {
		b.WriteString(s.Text + "\n")
	}
	return a.print(nil, b.String)
}

func (a *session) showAt(ctx context.Context, w *app.App, ask lookup.Ask, rev string) error {
	fault.Check(w.Index.Refresh(ctx))
	var known *history.Subject
	switch e, err := lookup.One(w.Index, ask.ID, ask.Project, ask.Scope); {
	case err == nil:
		known = &history.Subject{ID: e.ID, Path: e.Path}
	case !fault.Is(err, fault.NotFound):
		return err
	default:
		if own, src, ok := w.Decisions.InPlace(ctx, ask.ID, ask.Scope); ok {
			known = &history.Subject{ID: own.ID, Path: own.File, Source: string(src)}
		}
	}
	r, src, commit, err := history.At(ctx, w.Store, inStore(w.Store, ask.ID), known, rev)
	fault.Check(err)
	if !a.json {
		return a.showText(r, src, ask.Sections)
	}
	return a.print(struct {
		lookup.Record
		Commit string `json:"commit"`
	}{fault.Must(lookup.Given(w.Store, r, ask)), commit}, nil)
}
