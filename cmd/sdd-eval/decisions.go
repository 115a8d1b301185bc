package main

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/learning/classify"
)

// writeDecisions writes what decisions, impact and category come to on real text, each with its goal.
func writeDecisions(w io.Writer, top string) error {
	fmt.Fprint(w, "\n| on real text | measured | goal |\n|---|--:|--:|\n")
	adrs, err := realLines[struct{ Context, Options, Decision string }](top, "adrs.jsonl.gz")
	if err != nil {
		return err
	}
	found, told, wrong, others := 0, 0, 0, 0
	for _, a := range adrs {
		if d := strings.TrimSpace(a.Decision); d != "" && !strings.Contains(d, "Chosen option") {
			told++
			if len(capture.Find(d)) > 0 {
				found++
			}
		}
		for _, t := range []string{a.Context, a.Options} {
			if strings.TrimSpace(t) != "" {
				others++
				if len(capture.Find(t)) > 0 {
					wrong++
				}
			}
		}
	}
	messages, err := realLines[struct{ Text string }](top, "agent-messages.jsonl.gz")
	if err != nil {
		return err
	}
	fires, sure := 0, 0
	for _, m := range messages {
		all := capture.Find(m.Text)
		if len(all) > 0 {
			fires++
		}
		if slices.ContainsFunc(all, func(d capture.Decision) bool { return d.Confidence >= capture.Sure }) {
			sure++
		}
	}
	var impact, category [2]int // best, any
	critical, right, rules := 0, 0, 0
	var text []byte
	if path := corpusFile(top, "rules.tsv"); path != "" {
		if text, err = os.ReadFile(path); err != nil {
			return err
		}
	}
	for n, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(l, "\t")
		if n == 0 || len(f) != 4 {
			continue
		}
		rules++
		level, kind := classify.Impact(f[1]).Value, classify.Category(f[1], nil).Value
		add(&impact, f[2], level)
		add(&category, f[3], kind)
		if level == "critical" {
			critical++
			if slices.Contains(strings.Split(f[2], "|"), level) {
				right++
			}
		}
	}
	for _, r := range []struct {
		name, goal string
		of         ratio
	}{
		{"decisions in ADR prose without headings", ">= 75 %", share(found, told)}, {"false, on context and options", "<= 8 %", share(wrong, others)},
		{"fires on agent messages", "<= 5 %", share(fires, len(messages))}, {"of them sure", "<= 2 %", share(sure, len(messages))},
		{"impact, best label", ">= 62 %", share(impact[0], rules)}, {"impact, any accepted label", ">= 88 %", share(impact[1], rules)}, {"critical that is right", ">= 80 %", share(right, critical)},
		{"category, best label", ">= 70 %", share(category[0], rules)}, {"category, any accepted label", ">= 82 %", share(category[1], rules)},
	} {
		value := "not measured here"
		if r.of.Of > 0 {
			value = r.of.String()
		}
		fmt.Fprintf(w, "| %s | %s | %s |\n", r.name, value, r.goal)
	}
	return nil
}

func add(n *[2]int, accepted, got string) {
	list := strings.Split(accepted, "|")
	if list[0] == got {
		n[0]++
	}
	if slices.Contains(list, got) {
		n[1]++
	}
}

// realLines reads a corpus of lines of JSON; none where it is not there.
func realLines[T any](top, name string) (out []T, err error) {
	path := corpusFile(top, name)
	if path == "" {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	lines := bufio.NewScanner(z)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		var v T
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, lines.Err()
}
