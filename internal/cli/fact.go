package cli

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/anchor"
	"sdd/internal/app"
	"sdd/internal/fact"
	"sdd/internal/fault"
)

func newFact(a *session) *cobra.Command {
	return commandGroup("fact", "Facts about the project: add, list, show, refresh, expire, gc, discover",
		newFactAdd(a), newFactList(a), newFactShow(a), newFactRefresh(a),
		newReviewAction(a, "expire", "Mark facts as stale"), newFactGC(a), newFactDiscover(a))
}

func newFactAdd(a *session) *cobra.Command {
	var in fact.Input
	cmd := command("add TEXT", "Add a fact; the same text again is the same fact", oneText,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			in.Content, in.Tool = strings.Join(args, " "), "sdd fact"
			return a.answer(w.Facts.Add(ctx, in))
		}))
	f := cmd.Flags()
	f.IntVar(&in.Level, "level", 0, "0 project, 1 domain, 2 module, 3 code")
	f.StringVar(&in.Domain, "domain", "", "such as auth")
	f.StringVar(&in.Module, "module", "", "such as internal/auth")
	a.codeRefFlag(cmd, &in.CodeRef)
	f.StringVar(&in.Source, "source", "", "where it comes from")
	f.StringVar(&in.Parent, "parent", "", "the record it belongs to")
	f.StringVar(&in.Supersedes, "supersedes", "", "id of the fact that it replaces")
	f.StringVar(&in.Scope, "scope", "", "project or personal (not in git)")
	f.Float64Var(&in.Confidence, "confidence", 0, "0 to 1")
	ttlFlags(cmd, &in.TTLDays, &in.RefreshOn, &in.OnExpire)
	return cmd
}

// codeRefFlag adds the flag of the code that a record is about. A place that is there from the working folder is read from there.
func (a *session) codeRefFlag(cmd *cobra.Command, refs *anchor.Places) {
	a.codeRefs = append(a.codeRefs, refs)
	cmd.Flags().StringArrayVar((*[]string)(refs), "code-ref", nil, "the code it is about: path#Symbol, path#L10-L50 or path; several allowed")
}

func ttlFlags(cmd *cobra.Command, days *int, refreshOn, onExpire *string) {
	f := cmd.Flags()
	f.IntVar(days, "ttl-days", 0, "days until it is stale (default by level)")
	f.StringVar(refreshOn, "refresh-on", "", `paths such as "api/**,go.mod": a change makes it stale`)
	f.StringVar(onExpire, "on-expire", "", "what sdd fact gc makes of it: stale, archive or delete")
}

type factPage struct {
	Facts      []fact.Fact `json:"facts"`
	Total      int         `json:"total"`
	NextCursor string      `json:"next_cursor"`
}

func newFactList(a *session) *cobra.Command {
	var filter fact.Filter
	var level int
	cmd := command("list [WORDS]", "List facts, the newest first; superseded and archived ones with --state", cobra.ArbitraryArgs, nil)
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		if cmd.Flags().Changed("level") {
			filter.Level = &level
		}
		filter.Text = strings.Join(args, " ")
		facts, next, total, err := w.Facts.List(ctx, filter)
		fault.Check(err)
		return a.paint(factPage{facts, total, next}, func(p *painter) {
			for _, one := range facts {
				style := plainText
				if one.State != "active" {
					style = dim
				}
				p.line(style, one.Line())
			}
			a.noteMore(len(facts), total, next, "no fact found")
		})
	})
	f := cmd.Flags()
	f.IntVar(&level, "level", 0, "only this level")
	f.StringVar(&filter.Domain, "domain", "", "only this domain")
	f.StringVar(&filter.Module, "module", "", "only this module")
	f.StringVar(&filter.State, "state", "", "only active, stale, superseded or archived ones; any lists all")
	f.IntVar(&filter.Limit, "limit", 0, "facts a page, 1 to 500 (default 50)")
	f.StringVar(&filter.Cursor, "cursor", "", "where the last page ended")
	return cmd
}

func newFactShow(a *session) *cobra.Command {
	return command("show ID", "Show one fact with what is known of it; sdd show prints the file", oneArg("ID"),
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			f := fault.Must(w.Facts.Get(ctx, args[0]))
			return a.paint(f, func(p *painter) { paintFact(p, f) })
		}))
}

func paintFact(p *painter, f fact.Fact) {
	p.line(bold, f.ID+"  "+f.File)
	p.fields([]field{
		{"level", fmt.Sprint(f.Level)}, {"domain", f.Domain}, {"module", f.Module}, {"state", because(f.State, f.Why)},
		{"confidence", fmt.Sprint(f.Confidence)}, {"source", f.Source}, {"code_ref", strings.Join(f.CodeRef, ", ")}, {"parent", f.Parent},
		{"superseded by", f.SupersededBy}, {"valid from", f.ValidFrom}, {"valid until", f.ValidUntil},
		{"created", f.Created}, {"refreshed", f.Refreshed},
	}...)
	if t := f.TTL; t != nil {
		if t.Days > 0 {
			p.fields(field{"ttl", fmt.Sprintf("%v days", t.Days)})
		}
		p.fields(field{"refresh on", t.RefreshOn}, field{"on expire", t.OnExpire})
	}
	for _, text := range []string{f.Content, f.Evidence} {
		if strings.TrimSpace(text) != "" {
			p.text(text)
		}
	}
}

func newFactRefresh(a *session) *cobra.Command {
	act := app.ReviewArgs{Action: "refresh"}
	cmd := command("refresh ID…", "Confirm facts: their time to live begins again", someArgs("ID"),
		func(cmd *cobra.Command, args []string) error {
			act.IDs = args
			return a.runReview(cmd.Context(), act)
		})
	ttlFlags(cmd, &act.TTLDays, &act.RefreshOn, &act.OnExpire)
	return cmd
}

func newFactGC(a *session) *cobra.Command {
	var write, purge bool
	cmd := command("gc", "List facts whose time is over (exit code 5); --write puts it into their files", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if purge && !write {
				return usage("--purge goes with --write")
			}
			moved := fault.Must(w.Facts.GC(ctx, write, purge, "sdd fact gc"))
			if len(moved) == 0 && !a.json {
				fmt.Fprintln(a.err, "no fact's time is over")
			}
			return exitIf(len(moved) > 0 && !write, errFindings, a.answer(fact.Reviewed{Items: moved}, nil))
		}))
	cmd.Flags().BoolVar(&write, "write", false, "put it into the files")
	cmd.Flags().BoolVar(&purge, "purge", false, "with --write: remove the files of those that on_expire deletes")
	return cmd
}

func newFactDiscover(a *session) *cobra.Command {
	due := false
	cmd := command("discover", "Find out what the project is", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error { return a.answer(w.Facts.Discover(ctx, !due)) }))
	cmd.Flags().BoolVar(&due, "if-due", false, "look again only when a manifest changed, or 30 days have passed")
	return cmd
}
