// Package anchors replays the history of a repository to measure how well package anchor judges: it pins every symbol at an old
// commit and compares the verdict at each later commit with a parser that shares no code with package symbol.
//
// The truth. A parser lists the functions, methods, types and constants of a file: go/ast for Go, the ast module for Python, the
// TypeScript compiler for TypeScript and JavaScript, tree-sitter grammars for the others (package node). The content of a symbol is
// its syntax tree without positions, comments and docstrings; two contents are alike if the trees are equal after the symbol's own
// name and those of the types around it are replaced. The base is the commit that is -commits first-parent commits before HEAD. At
// each commit that changed or removed the file, and at HEAD, a symbol of the base is
//
//   - same: its file has a symbol of its whole name with an equal tree;
//   - changed: its file has the name, with another tree;
//   - moved: the name is gone and exactly one place that is new since the base is alike, with at least 12 names and literals;
//   - copied: the name is gone, and places that are alike exist, but they are several or small: gone and moved are both right;
//   - gone: otherwise.
//
// A changed symbol whose old content is at another new place may be called moved to that place. Where the parser finds an error in
// the symbol or the file, nothing is compared.
//
// The verdict. A change is reported if a changed or gone symbol is drifted, gone or, as above, moved. An alarm is false if a symbol that
// is the same or moved is drifted or gone. A move is followed if the verdict has the path and lines of the new place. A symbol that
// package symbol does not list is pinned by its paragraph, as path#Symbol is then; these are counted in rows of their own. Symbols of
// one name in a file, such as overloads, are one symbol.
//
// Quiet changes. A file whose tree without imports is equal before and after a commit changed in formatting, comments or imports
// only: its symbols and the file itself are pinned before the commit and must raise no alarm after it.
package anchors

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"sdd/internal/anchor"
)

// options are the flags of a replay.
type options struct {
	repos   []string
	commits int
	symbols int // of each language, 0 for all
	modules string
	only    string
	shown   int
	judge   func(*anchor.Tree, context.Context, []anchor.Anchor) []anchor.Verdict // Judge, but in tests
}

// Run replays the repository that args name and prints a table with examples of errors, or JSON. The error names the figures
// that miss their bar.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval anchors", flag.ContinueOnError)
	flags.SetOutput(stderr)
	o := options{judge: (*anchor.Tree).Judge}
	flags.Func("repo", "folder of a repository; may be repeated (default: the working directory)", func(dir string) error {
		o.repos = append(o.repos, dir)
		return nil
	})
	flags.IntVar(&o.commits, "commits", 200, "first-parent commits to replay")
	flags.IntVar(&o.symbols, "symbols", 0, "most symbols of each language, spread evenly (default: all)")
	flags.StringVar(&o.modules, "modules", os.Getenv("SDD_EVAL_MODULES"),
		"folder with node_modules that has typescript, web-tree-sitter@0.25 and tree-sitter-wasms (default: $SDD_EVAL_MODULES)")
	flags.StringVar(&o.only, "only", "", "this language only")
	flags.IntVar(&o.shown, "examples", 3, "most examples of each kind of error in each language")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if o.repos == nil {
		o.repos = []string{"."}
	}
	start := time.Now()
	r, err := replay(ctx, o, stderr)
	if err != nil {
		return err
	}
	r.finish()
	r.Seconds = time.Since(start).Seconds()
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(r)
	} else {
		err = r.write(stdout)
	}
	return errors.Join(err, r.missed())
}
