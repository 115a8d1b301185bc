package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/learning/classify"
)

// corpus is the folder of the learnings and pairs, relative to the module.
const corpus = "internal/learning/classify/testdata"

var (
	impacts    = strings.Fields("low medium high critical")
	categories = strings.Fields("Architecture Conventions Testing Errors API Dependencies Performance General")
)

// learningCase is a learning with its impact or its category.
type learningCase struct {
	ID       string `json:"id"`
	Part     string `json:"part"`
	Content  string `json:"content"`
	Impact   string `json:"impact"`
	Category string `json:"category"`
	Why      string `json:"why"`
}

func (c learningCase) name() string { return c.ID }
func (c learningCase) part() string { return c.Part }

func (c learningCase) check() error {
	switch {
	case c.Content == "" || c.Why == "":
		return errors.New("without content or reason")
	case (c.Impact == "") == (c.Category == ""):
		return errors.New("has to have either an impact or a category")
	case c.Impact != "" && !slices.Contains(impacts, c.Impact):
		return fmt.Errorf("impact is %q, not one of %q", c.Impact, impacts)
	case c.Category != "" && !slices.Contains(categories, c.Category):
		return fmt.Errorf("category is %q, not one of %q", c.Category, categories)
	}
	return nil
}

// noteCase is a short note with both labels, as they were given before any rule was run on it.
type noteCase struct {
	ID       string `json:"id"`
	Part     string `json:"part"`
	Content  string `json:"content"`
	Impact   string `json:"impact"`
	Category string `json:"category"`
}

func (c noteCase) name() string { return c.ID }
func (c noteCase) part() string { return c.Part }

func (c noteCase) check() error {
	if c.Content == "" || !slices.Contains(impacts, c.Impact) || !slices.Contains(categories, c.Category) {
		return fmt.Errorf("impact is %q, category is %q", c.Impact, c.Category)
	}
	return nil
}

func measureImpact(_ context.Context, top string, parts []string) ([]row, error) {
	return measureLabels(top, parts, "impact", func(c learningCase) string { return c.Impact }, func(c noteCase) string { return c.Impact }, classify.Impact)
}

func measureCategory(_ context.Context, top string, parts []string) ([]row, error) {
	return measureLabels(top, parts, "category", func(c learningCase) string { return c.Category }, func(c noteCase) string { return c.Category },
		func(content string) classify.Verdict { return classify.Category(content, nil) })
}

// measureLabels measures a verdict on the corpus of that name, and with all further texts that have its label.
func measureLabels(top string, parts []string, name string, label func(learningCase) string, noted func(noteCase) string, verdict func(string) classify.Verdict) ([]row, error) {
	first, all := newOutcome(parts), newOutcome(parts)
	for _, file := range []string{name, name + "_more"} {
		cases, err := readLines[learningCase](filepath.Join(top, corpus, file+".jsonl"))
		if err != nil {
			return nil, err
		}
		for _, c := range cases {
			v := verdict(c.Content)
			if file == name {
				first.add(c, label(c), v.Value, v.Rule)
			}
			all.add(c, label(c), v.Value, v.Rule)
		}
	}
	notes, err := readLines[noteCase](filepath.Join(top, corpus, "notes.jsonl"))
	if err != nil {
		return nil, err
	}
	for _, c := range notes {
		v := verdict(c.Content)
		all.add(c, noted(c), v.Value, v.Rule)
	}
	return []row{first.row(name, 85, matrix.accuracy), all.row(name+", all texts", 85, matrix.accuracy)}, nil
}

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
		o.row("contradiction, precision", 95, func(m matrix) ratio { return m.precision(contradicts) }),
		o.row("contradiction, recall", 70, func(m matrix) ratio { return m.recall(contradicts) }),
	}, nil
}
