package eval

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"sdd/internal/anchor"
)

// The measure anchors replays the history of a repository: it pins every symbol at the commit -commits first parents before HEAD, and
// compares the verdict at each later commit that touched the file with a parser that shares no code with package symbol (go/ast, Python's
// ast, the TypeScript compiler, tree-sitter). Contents are equal if their trees are, without positions, comments and docstrings.
//
//   - same: its file has a symbol of its whole name with an equal tree;
//   - changed: its file has the name, with another tree; a new place of the old content may be called moved;
//   - moved: the name is gone and exactly one new place is alike but for names of symbol and types, with at least 12 names and literals;
//   - copied: the name is gone, and places that are alike exist, but they are several or small: gone and moved are both right;
//   - gone: otherwise.
//
// An alarm is false if a symbol that is the same or moved is drifted or gone. A symbol that package symbol does not list is pinned by its
// paragraph and counted in rows of its own; symbols of one name in a file are one. A quiet change leaves the tree of a file without imports
// equal: it must raise no alarm for the symbols or the file. Where the parser finds an error, nothing is compared.

// replayOptions are the flags of a replay.
type replayOptions struct {
	repos   []string
	commits int
	symbols int // of each language, 0 for all
	modules string
	only    string
	shown   int
	judge   func(*anchor.Tree, context.Context, []anchor.Anchor) []anchor.Verdict // Judge, but in tests
}

func measureAnchors(c *call) func() error {
	o := replayOptions{judge: (*anchor.Tree).Judge}
	c.flags.Func("repo", "folder of a repository; may be repeated (default: the working directory)", func(dir string) error {
		o.repos = append(o.repos, dir)
		return nil
	})
	c.flags.IntVar(&o.commits, "commits", 200, "first-parent commits to replay")
	c.flags.IntVar(&o.symbols, "symbols", 0, "most symbols of each language, spread evenly (default: all)")
	c.flags.StringVar(&o.modules, "modules", os.Getenv("SDD_EVAL_MODULES"),
		"folder with node_modules that has typescript, web-tree-sitter@0.25 and tree-sitter-wasms (default: $SDD_EVAL_MODULES)")
	c.flags.StringVar(&o.only, "only", "", "this language only")
	c.flags.IntVar(&o.shown, "examples", 3, "most examples of each kind of error in each language")
	return func() error {
		c.noArguments()
		if o.repos == nil {
			o.repos = []string{"."}
		}
		start := time.Now()
		r := replay(c.ctx, o, c.log)
		return errors.Join(r.write(c.out, time.Since(start)), r.missed())
	}
}

// tally has the figures of a language in a repository; symbols that are pinned by lines have a tally of their own.
type tally struct {
	Repo, Language      string
	ByLines             bool
	Symbols, Shadowed   int // Shadowed are not pinned: package symbol has another symbol of that name elsewhere
	Comparisons, Unsure int // Unsure are not compared: the parser of the truth found an error
	Told, Alarms        ratio
	Followed, Wrong     ratio
	QuietFiles          int
	Quiet               ratio
}

type example struct{ kind, repo, language, commit, place, truth, verdict string }

type report struct {
	tallies  []*tally
	examples []example
	skipped  []string      // why a language has no truth here
	judging  time.Duration // in anchor.Judge, of verdicts that are compared
	judged   int
}

// of returns the tally of a language, which it adds when it is new.
func (r *report) of(repo, lang string, byLines bool) *tally {
	for _, w := range r.tallies {
		if w.Repo == repo && w.Language == lang && w.ByLines == byLines {
			return w
		}
	}
	w := &tally{Repo: repo, Language: lang, ByLines: byLines}
	r.tallies = append(r.tallies, w)
	return w
}

// example keeps an example, unless most of its kind, language and repository are there, or one of its place.
func (r *report) example(most int, e example) {
	n := 0
	for _, have := range r.examples {
		if have.kind == e.kind && have.language == e.language && have.repo == e.repo {
			if n++; have.place == e.place {
				return
			}
		}
	}
	if n < most {
		r.examples = append(r.examples, e)
	}
}

func (r *report) all() tally {
	all := tally{Repo: "all"}
	for _, w := range r.tallies {
		all.Symbols, all.Shadowed, all.Comparisons = all.Symbols+w.Symbols, all.Shadowed+w.Shadowed, all.Comparisons+w.Comparisons
		all.Unsure, all.QuietFiles, all.Quiet = all.Unsure+w.Unsure, all.QuietFiles+w.QuietFiles, all.Quiet.plus(w.Quiet)
		all.Told, all.Alarms = all.Told.plus(w.Told), all.Alarms.plus(w.Alarms)
		all.Followed, all.Wrong = all.Followed.plus(w.Followed), all.Wrong.plus(w.Wrong)
	}
	return all
}

func (r *report) write(to io.Writer, took time.Duration) error {
	slices.SortStableFunc(r.tallies, func(a, b *tally) int {
		return strings.Compare(fmt.Sprint(a.Repo, "\x00", a.Language, a.ByLines), fmt.Sprint(b.Repo, "\x00", b.Language, b.ByLines))
	})
	slices.SortStableFunc(r.examples, func(a, b example) int { return strings.Compare(a.kind+a.language, b.kind+b.language) })
	all := r.all()
	var rows [][]any
	var b strings.Builder
	for _, w := range append(r.tallies, &all) {
		language := w.Language
		if w.ByLines {
			language += ", by lines"
		}
		rows = append(rows, []any{w.Repo, language, w.Symbols, w.Comparisons, w.Told, w.Alarms, w.Followed, w.Wrong, w.Quiet})
		if w != &all && w.Unsure+w.Shadowed > 0 {
			fmt.Fprintf(&b, "%s, %s: %d comparisons left out for errors in the truth's parser, %d symbols for another of their name.\n",
				w.Repo, w.Language, w.Unsure, w.Shadowed)
		}
	}
	for _, why := range r.skipped {
		fmt.Fprintf(&b, "Skipped: %s.\n", why)
	}
	fmt.Fprintf(&b, "%.1f s, %.1f s of them for %d verdicts.\n", took.Seconds(), r.judging.Seconds(), r.judged)
	for _, e := range r.examples {
		fmt.Fprintf(&b, "\n%s: %s, %s %s %s\n  truth: %s\n", e.kind, e.language, e.repo, e.commit, e.place, e.truth)
		if e.verdict != "" {
			fmt.Fprintf(&b, "  verdict: %s\n", e.verdict)
		}
	}
	err := table(to, "repository|language|symbols|comparisons|changes told (100 %)|false alarms (≤ 2 %)|moves followed (≥ 90 %)|"+
		"wrong place|alarms at quiet changes (0)", rows)
	_, after := io.WriteString(to, "\n"+b.String())
	return errors.Join(err, after)
}

// missed returns an error that names the figures that miss their bar, nil when there are none.
func (r *report) missed() error {
	all := r.all()
	var names []string
	for _, f := range []struct {
		name   string
		missed bool
	}{
		{"changes told", all.Told.Right < float64(all.Told.Of)},
		{"false alarms", 50*all.Alarms.Right > float64(all.Alarms.Of)},
		{"moves followed", 10*all.Followed.Right < 9*float64(all.Followed.Of)},
		{"alarms at quiet changes", all.Quiet.Right > 0},
	} {
		if f.missed {
			names = append(names, f.name)
		}
	}
	return missed(names)
}
