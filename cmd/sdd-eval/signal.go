package main

import (
	"context"
	"errors"
	"path/filepath"
	"slices"

	"sdd/internal/learning/signal"
)

// signalCase is a text with the signals that are in it.
type signalCase struct {
	Name    string `json:"name"`
	Part    string `json:"part"`
	Text    string `json:"text"`
	Base64  []byte `json:"base64"` // instead of text, for what is not UTF-8
	Max     int    `json:"max"`    // longest content in bytes, 0 for the default
	Signals []struct {
		Name    string `json:"name"`
		Content string `json:"content"`
		Line    int    `json:"line"`
	} `json:"signals"`
	Warnings []struct {
		Code string `json:"code"`
		Line int    `json:"line"`
	} `json:"warnings"` // the package's own test looks at them
}

func (c signalCase) name() string { return c.Name }
func (c signalCase) part() string { return c.Part }

func (c signalCase) check() error {
	if (c.Text == "") == (c.Base64 == nil) {
		return errors.New("has to have either text or base64")
	}
	return nil
}

// Labels and verdicts of a signal: there is one, or none.
const (
	there  = "signal"
	absent = "none"
)

// measureSignals counts texts as cases, and signals in the shares: one that is in the text and one that was
// found are the same when name, content and line are.
func measureSignals(_ context.Context, top string, parts []string) ([]row, error) {
	cases, err := readLines[signalCase](filepath.Join(top, "internal/learning/signal/testdata/signals/cases.jsonl"))
	if err != nil {
		return nil, err
	}
	type key struct {
		name, content string
		line          int
	}
	o := newOutcome(parts)
	texts := 0
	for _, c := range cases {
		if !slices.Contains(parts, c.Part) {
			continue
		}
		texts++
		text := c.Text
		if c.Base64 != nil {
			text = string(c.Base64)
		}
		left := map[key]int{}
		found, _ := signal.ScanString(text, c.Max)
		for _, s := range found {
			left[key{s.Name, s.Content, s.Line}]++
		}
		for _, s := range c.Signals {
			k, got := key{s.Name, s.Content, s.Line}, absent
			if left[k] > 0 {
				left[k]--
				got = there
			}
			o.add(c, there, got, "")
		}
		for _, n := range left {
			for range n {
				o.add(c, absent, there, "")
			}
		}
	}
	o.cases = texts
	return []row{
		o.row("signals, found", 100, func(m matrix) ratio { return m.recall(there) }),
		o.row("signals, not false", 100, func(m matrix) ratio { return m.precision(there) }),
	}, nil
}
