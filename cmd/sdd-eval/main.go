// Command sdd-eval measures what sdd decides by rules against labelled cases: the signals found in texts, contradictions, which commits make a learning outdated, what commits tell, which records answer a
// question, and how well code search answers questions about real libraries (their sources are taken from the module cache).
//
//	go run ./cmd/sdd-eval            one Markdown table
//	go run ./cmd/sdd-eval -json      the same with confusion matrices, and the wrong cases of the tuned part
//	go run ./cmd/sdd-eval -held      the held part only
//	go run ./cmd/sdd-eval -only dialogues
//
// Rows of our own sentences say "own": their bars are floors that keep a rule from getting worse, and no evidence of what it is
// worth. The bars of contradictions are 90 and 40 per cent there: higher ones were reached by words of those sentences.
//
// Rows of real text say "not measured here" where shared/corpora is neither beside the module nor above it.
//
// A third of each corpus is the held part: rules are made while looking at the tuned part only, so that the held
// part says what they are worth on learnings that nobody has seen. That is why no wrong case of it is ever
// printed. Both parts must reach the bar; the exit code is 1 when one of them does not.
//
// The corpora lie with the packages that they measure (internal/learning/…/testdata,
// internal/answer/contexteval/testdata) and are found from the working directory, which has to be in the module.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
)

func main() {
	if err := run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "sdd-eval:", err)
		}
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval", flag.ContinueOnError)
	flags.SetOutput(stderr)
	held := flags.Bool("held", false, "measure the held part only")
	only := flags.String("only", "", "measure this figure only, such as dialogues")
	asJSON := flags.Bool("json", false, "print JSON with confusion matrices instead of a table")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	parts := []string{tuned, heldOut}
	if *held {
		parts = parts[1:]
	}
	top, err := moduleRoot()
	if err != nil {
		return err
	}
	var rows []row
	for _, f := range figures {
		if *only != "" && f.name != *only {
			continue
		}
		of, err := f.measure(ctx, top, parts)
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		rows = append(rows, of...)
	}
	if *asJSON {
		e := json.NewEncoder(stdout)
		e.SetEscapeHTML(false)
		e.SetIndent("", "  ")
		err = e.Encode(struct {
			Rows []row `json:"rows"`
		}{rows})
	} else {
		if err = writeTable(stdout, rows); err == nil {
			err = writeDecisions(stdout, top)
		}
	}
	if err != nil {
		return err
	}
	return missed(rows)
}

// figures are measured in this order. Each gives one row or more: those of one corpus share its cases.
var figures = []struct {
	name    string
	measure func(ctx context.Context, top string, parts []string) ([]row, error)
}{
	{"signals", measureSignals},
	{"contradiction", measureContradiction},
	{"outdated", measureOutdated},
	{"facts from commits", measureExtraction},
	{"context", measureContext},
	{"code search", measureCode},
	{"dialogues", measureDialogues},
	{"citations", measureCitations},
	{"newcomers", measureNewcomers},
}
