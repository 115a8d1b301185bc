package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/index"
	"sdd/internal/store"
)

type diffOptions struct {
	markdown, sarif, exitCode bool
	args                      []string
	dash                      int // the number of args before --, -1 without it
}

func newDiff(a *session) *cobra.Command {
	var o diffOptions
	cmd := command("diff [A[..B]] [--] [PATH|RECORD]...", "Show what changed in records, by section and item", nil, nil)
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		o.args, o.dash = args, cmd.ArgsLenAtDash()
		return a.diff(ctx, w, o)
	})
	f := cmd.Flags()
	f.BoolVar(&o.markdown, "markdown", false, "print Markdown, for a comment; the text of records is in code fences")
	f.BoolVar(&o.sarif, "sarif", false, "print SARIF 2.1.0, a note for each change at its line")
	f.BoolVar(&o.exitCode, "exit-code", false, "exit with 1 when something differs")
	return cmd
}

func (a *session) diff(ctx context.Context, w *app.App, o diffOptions) error {
	if o.markdown && o.sarif || a.json && (o.markdown || o.sarif) {
		return usage("one of --json, --markdown and --sarif is allowed")
	}
	a.noticeLost(ctx)
	r, only := o.states(ctx, w.Store.Dir())
	names := make([]string, len(only))
	for i, name := range only {
		names[i] = inStore(w.Store, name)
	}
	d := fault.Must(history.Diff(ctx, w.Store, r, names))
	if len(d.Records) == 0 {
		known(ctx, w.Index, only, names)
	}
	var err error
	switch {
	case o.sarif:
		err = a.writeJSON(d.SARIF())
	case o.markdown:
		_, err = io.WriteString(a.out, a.safe(d.Markdown()))
	default:
		err = a.paint(d, func(p *painter) { a.diffText(p, d) })
	}
	return exitIf(o.exitCode && len(d.Records) > 0, exitFailed, err)
}

// states separates the commits in the arguments from names of records. Without a --, an argument that is no commit is a name.
func (o diffOptions) states(ctx context.Context, dir string) (r history.Range, only []string) {
	revs := o.args
	if o.dash >= 0 {
		revs, only = o.args[:o.dash], o.args[o.dash:]
	}
	if len(revs) == 0 {
		return r, only
	}
	taken := 0
	if from, to, dots := cutRange(revs[0]); dots != "" {
		r, taken = history.Range{From: from, To: cmp.Or(to, "HEAD"), Since: dots == "..."}, 1
	} else {
		repo := fault.Must(git.Open(dir))
		for taken < min(len(revs), 2) {
			_, err := repo.Resolve(ctx, revs[taken])
			if fault.Is(err, fault.NotFound) && o.dash < 0 {
				break
			}
			fault.Check(err)
			if taken++; taken == 1 {
				r.From = revs[0]
			} else {
				r.To = revs[1]
			}
		}
	}
	if o.dash >= 0 && taken < len(revs) {
		fault.Check(usage("%q is one commit too many: diff compares two states", revs[taken]))
	}
	return r, append(revs[taken:len(revs):len(revs)], only...)
}

// cutRange splits A..B and A...B, but not a path with .. in it.
func cutRange(arg string) (from, to, dots string) {
	if strings.Contains(arg, "../") || strings.Contains(arg, "/..") {
		return "", "", ""
	}
	for _, dots := range []string{"...", ".."} {
		if from, to, ok := strings.Cut(arg, dots); ok && arg != dots {
			return from, to, dots
		}
	}
	return "", "", ""
}

// inStore converts a name that is a path below .sdd to one relative to the store's root; other names stay.
func inStore(st *store.Store, name string) string {
	if rel, ok := belowStore(st, name); ok {
		return path.Join(store.Folder, rel)
	}
	return name
}

// belowStore converts a path below .sdd to one relative to it; ok is false for other paths.
func belowStore(st *store.Store, file string) (rel string, ok bool) {
	abs, err := filepath.Abs(file)
	if err != nil {
		return "", false
	}
	if dir, err := filepath.EvalSymlinks(filepath.Dir(abs)); err == nil {
		abs = filepath.Join(dir, filepath.Base(abs))
	}
	rel, err = filepath.Rel(filepath.Join(st.Dir(), store.Folder), abs)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// known refuses names without a record, so that a misspelt name does not look like a record without differences.
func known(ctx context.Context, ix *index.Index, given, names []string) {
	if len(names) > 0 {
		fault.Check(ix.Refresh(ctx))
	}
	for i, name := range names {
		if name != store.Folder && !strings.HasPrefix(name, store.Folder+"/") && len(ix.Lookup(index.Ref{ID: name})) == 0 {
			fault.Check(fault.New(fault.NotFound, "%q is no commit and no record", given[i]).
				With("sdd search lists records, git log --oneline commits"))
		}
	}
}

func (a *session) diffText(p *painter, d history.Changes) {
	for i, c := range d.Records {
		if i > 0 {
			p.line(plainText, "")
		}
		p.line(bold, fmt.Sprintf("%s  %s: %s", c.File, c.ID, c.Summary()))
		p.rows(c.Rows())
	}
	if len(d.Records) == 0 {
		fmt.Fprintln(a.err, "no record differs")
	}
}

var rowStyles = map[byte][2]string{
	history.MarkSection: {cyan, "  "},
	history.MarkAdded:   {green, "    + "},
	history.MarkRemoved: {red, "    - "},
	history.MarkMoved:   {yellow, "    ~ "},
}

func (p *painter) rows(rows []history.Row) {
	for _, r := range rows {
		style, known := rowStyles[r.Mark]
		if !known {
			style = [2]string{dim, "      "}
		}
		p.line(style[0], style[1]+r.Text)
	}
}

func newReviewPR(a *session) *cobra.Command {
	var base string
	var sarif bool
	cmd := command("review-pr --base REF",
		"Print what a branch changes in records and in the code under them, for its pull request", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if a.json && sarif {
				return usage("one of --json and --sarif is allowed")
			}
			p := fault.Must(history.PullRequestOf(ctx, w.Store, base))
			if sarif {
				return a.writeJSON(p.SARIF())
			}
			return a.print(p, p.Markdown)
		}))
	f := cmd.Flags()
	f.StringVar(&base, "base", "", "branch that this one is to be merged into")
	f.BoolVar(&sarif, "sarif", false, "print SARIF 2.1.0, findings at their lines")
	return cmd
}
