// Command sdd-eval measures sdd.
//
//	go run ./cmd/sdd-eval                 relevance, on texts that others wrote and labelled: one Markdown table
//	go run ./cmd/sdd-eval -only dialogues
//	go run ./cmd/sdd-eval bench           speed and memory, each figure with its floor, at 100 to 100,000 records
//	go run ./cmd/sdd-eval bench -records 10000 -only save,search
//	go run ./cmd/sdd-eval anchors -repo DIR     verdicts on code, replayed over the history of a repository
//	go run ./cmd/sdd-eval transcripts [-v] DIR  decisions and corrections in labelled transcripts: recall and precision
//	go run ./cmd/sdd-eval start [-v] DIR…       the index of a session's start, replayed over recorded sessions
//	go run ./cmd/sdd-eval code [-v] FILE…       which files code search puts first, for issues, commits and short questions
//	go run ./cmd/sdd-eval code REPOSITORY…      and the lines that its commits changed, in the answers to their subjects
//	go run ./cmd/sdd-eval trust                 attacks by records that want to be taken for more than they are
//
// The exit code is 1 when a figure of relevance, code, anchors, transcripts, start or trust misses its bar.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"sdd/internal/eval"
)

func main() {
	if err := eval.Run(context.Background(), os.Args[1:], os.Stdout, os.Stderr); err != nil {
		if !errors.Is(err, flag.ErrHelp) {
			fmt.Fprintln(os.Stderr, "sdd-eval:", err)
		}
		os.Exit(1)
	}
}
