package main

import (
	"context"
	"errors"
	"path/filepath"

	"sdd/internal/learning/classify"
)

// corpus is the folder of the pairs, relative to the module.
const corpus = "internal/learning/classify/testdata"

// pairCase is two learnings, of which the newer takes back the older one or does not.
type pairCase struct {
	ID          string `json:"id"`
	Part        string `json:"part"`
	Older       string `json:"older"`
	Newer       string `json:"newer"`
	Contradicts bool   `json:"contradicts"`
	Kind        string `json:"kind"` // in which way, or why it only looks so
	Why         string `json:"why"`
}

func (c pairCase) name() string { return c.ID }
func (c pairCase) part() string { return c.Part }

func (c pairCase) check() error {
	if c.Older == "" || c.Newer == "" || c.Kind == "" || c.Why == "" {
		return errors.New("without older, newer, kind or reason")
	}
	return nil
}

// Labels and verdicts of a pair.
const (
	contradicts = "contradicts"
	agrees      = "agrees"
)

func pairLabel(contradiction bool) string {
	if contradiction {
		return contradicts
	}
	return agrees
}

func measureContradiction(_ context.Context, top string, parts []string) ([]row, error) {
	cases, err := readLines[pairCase](filepath.Join(top, corpus, "contradiction.jsonl"))
	if err != nil {
		return nil, err
	}
	o := newOutcome(parts)
	for _, c := range cases {
		found, ok := classify.Contradicts(c.Older, c.Newer)
		o.add(c, pairLabel(c.Contradicts), pairLabel(ok), found.Rule)
	}
	return []row{
		o.row("contradiction, precision", 90, func(m matrix) ratio { return m.precision(contradicts) }),
		o.row("contradiction, recall", 40, func(m matrix) ratio { return m.recall(contradicts) }),
	}, nil
}
