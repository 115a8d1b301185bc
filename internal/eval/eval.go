// Package eval measures the program on texts that others wrote and labelled: which records answer a question, which facts commits
// contain, which sentences are decisions. The texts are in shared/corpora, beside the repository or above it, and are not part of
// it; without them, a row is "not measured here". Texts that we wrote ourselves are no evidence: those cases are tests of their
// packages.
//
// Authors of rules tune them on the tuned part of each corpus and look at no other cases. Both parts together must reach the bar.
package eval

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/eval/must"
)

// figures are in the order of measurement. Each gives one or more rows.
var figures = []struct {
	name    string
	measure func(ctx context.Context, top string) []row
}{
	{"commits", measureCommits},
	{"decisions", measureDecisions},
	{"rules", measureRules},
	{"dialogues", measureDialogues},
	{"citations", measureCitations},
}

// Run measures the figures that the flags in args select, in the module of the working directory, and writes one Markdown table.
// The error names the figures that miss their bar.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	defer must.Caught(&err)
	flags := flag.NewFlagSet("sdd-eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	only := flags.String("only", "", "measure this group only: commits, decisions, rules, dialogues or citations")
	asJSON := flags.Bool("json", false, "print JSON instead of a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	top := must.Get(moduleRoot())
	var rows []row
	for _, f := range figures {
		if *only != "" && f.name != *only {
			continue
		}
		rows = append(rows, f.measure(ctx, top)...)
	}
	if rows == nil {
		return fmt.Errorf("-only: there is no group %q", *only)
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Rows []row `json:"rows"`
		}{rows})
	} else {
		err = writeTable(stdout, rows)
	}
	return errors.Join(err, missed(rows))
}

// moduleRoot returns the folder of the go.mod at or above the working directory.
func moduleRoot() (string, error) {
	at, err := os.Getwd()
	for dir := at; err == nil; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("no go.mod at or above %s: run it inside the module", at)
		}
	}
	return "", err
}

// corpusFile returns the file of that name in shared/corpora, "" if it is missing.
func corpusFile(top, name string) string {
	for dir := top; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		file := filepath.Join(filepath.Dir(dir), "shared", "corpora", name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// readCorpus reads a gzipped corpus with one JSON value on each line, nothing if it is missing.
func readCorpus[T any](top, name string) (out []T) {
	path := corpusFile(top, name)
	if path == "" {
		return nil
	}
	f := must.Get(os.Open(path))
	defer f.Close()
	z := must.Get(gzip.NewReader(f))
	for d := json.NewDecoder(bufio.NewReader(z)); d.More(); {
		var v T
		must.Check(d.Decode(&v))
		out = append(out, v)
	}
	return out
}

// ratio is a share of cases, or the mean of their scores.
type ratio struct {
	Right float64 `json:"right"` // cases, or the sum over them
	Of    int     `json:"of"`
}

func share(right, of int) ratio { return ratio{float64(right), of} }

func (r ratio) percent() float64 { return 100 * r.Right / float64(max(1, r.Of)) }

func (r ratio) plus(o ratio) ratio { return ratio{r.Right + o.Right, r.Of + o.Of} }

func (r ratio) String() string {
	if r.Of == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %% (of %d)", r.percent(), r.Of)
}

// row is one figure: a line of the table.
type row struct {
	Figure  string `json:"figure"`
	Tuned   ratio  `json:"tuned"`
	Held    ratio  `json:"held"`
	AtLeast int    `json:"at_least,omitempty"` // per cent of both parts together
	AtMost  int    `json:"at_most,omitempty"`
}

func (r row) measured() bool { return r.Tuned.Of+r.Held.Of > 0 }

// reached reports whether the row reaches its bar, or has none.
func (r row) reached() bool {
	all := r.Tuned.plus(r.Held).percent()
	return all >= float64(r.AtLeast) && (r.AtMost == 0 || all <= float64(r.AtMost))
}

func (r row) bar() string {
	switch {
	case r.AtLeast > 0:
		return fmt.Sprintf("≥ %d %%", r.AtLeast)
	case r.AtMost > 0:
		return fmt.Sprintf("≤ %d %%", r.AtMost)
	}
	return ""
}

func writeTable(w io.Writer, rows []row) error {
	var b strings.Builder
	b.WriteString("| figure | tuned part | held part | must | reached |\n|---|--:|--:|--:|---|\n")
	for _, r := range rows {
		reached := "**no**"
		switch {
		case !r.measured():
			reached = "not measured here"
		case r.bar() == "":
			reached = ""
		case r.reached():
			reached = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Figure, r.Tuned, r.Held, r.bar(), reached)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// missed returns an error that names the measured figures that miss their bar, nil when there are none.
func missed(rows []row) error {
	var names []string
	for _, r := range rows {
		if r.measured() && !r.reached() {
			names = append(names, r.Figure)
		}
	}
	if names == nil {
		return nil
	}
	return errors.New("not reached: " + strings.Join(names, "; "))
}

// add counts a case of the held or the tuned part.
func (r *row) add(held bool, got ratio) {
	if held {
		r.Held = r.Held.plus(got)
	} else {
		r.Tuned = r.Tuned.plus(got)
	}
}
