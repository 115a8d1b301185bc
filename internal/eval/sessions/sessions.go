// Package sessions measures what internal/session finds in real transcripts against labels that somebody made by reading them.
package sessions

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"

	"sdd/internal/session"
	"sdd/internal/transcript"
)

// label is a decision or correction that is worth keeping. Of two labels with repeat_of, one is enough.
type label struct {
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Who      string `json:"who"`
	RepeatOf int    `json:"repeat_of"`

	found bool
}

// Run prints recall and precision on a folder with transcripts NNN.md and labels NNN.json. -v lists what is missed and wrong.
// A finding is right when its lines and words are those of a label. The error says that the bar is missed.
func Run(_ context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval transcripts", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbose := flags.Bool("v", false, "list what is missed and what is wrong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(flags.Arg(0), "*.json"))
	if err != nil || len(files) == 0 || flags.NArg() != 1 {
		return errors.Join(err, errors.New("give a folder with transcripts NNN.md and labels NNN.json"))
	}
	items, hit, findings, right, kinds := 0, 0, 0, 0, 0
	rules := map[string][2]int{}
	for _, file := range files {
		labels, found, err := one(file)
		if err != nil {
			return err
		}
		for _, f := range found {
			findings++
			n := rules[f.Rule]
			n[1]++
			if l := match(f, labels); l != nil {
				right++
				n[0]++
				count(&kinds, string(f.Kind) == l.Kind)
			} else if *verbose {
				fmt.Fprintf(stdout, "wrong  %s:%d %s (%s): %s\n", filepath.Base(file), f.Line, f.Kind, f.Rule, f.Sentence)
			}
			rules[f.Rule] = n
		}
		for i, l := range labels {
			if l.RepeatOf != 0 {
				continue
			}
			items++
			ok := l.found
			for _, o := range labels {
				ok = ok || o.RepeatOf == l.Line && o.found
			}
			count(&hit, ok)
			if !ok && *verbose {
				fmt.Fprintf(stdout, "missed %s:%d %s by %s: %s\n", filepath.Base(file), l.Line, l.Kind, l.Who,
					strings.ReplaceAll(labels[i].Text, "\n", " / "))
			}
		}
	}
	if *verbose {
		for rule, n := range rules {
			fmt.Fprintf(stdout, "%3d of %3d right: %s\n", n[0], n[1], rule)
		}
	}
	recall, precision := 100*float64(hit)/float64(max(1, items)), 100*float64(right)/float64(max(1, findings))
	fmt.Fprintf(stdout, "| figure | value | must |\n|---|--:|--:|\n| transcripts | %d | |\n| recall | %.1f %% (%d of %d) | ≥ 70 %% |\n"+
		"| precision | %.1f %% (%d of %d) | ≥ 80 %% |\n| of them the right kind | %d | |\n", len(files), recall, hit, items,
		precision, right, findings,
		kinds)
	if recall < 70 || precision < 80 {
		return errors.New("the bar is missed")
	}
	return nil
}

func one(file string) (labels []label, found []session.Finding, err error) {
	src, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(src, &labels)
	}
	var text []byte
	if err == nil {
		text, err = os.ReadFile(strings.TrimSuffix(file, ".json") + ".md")
	}
	if err != nil {
		return nil, nil, err
	}
	format := transcript.Detect("x.md", text)
	if format == "" {
		return nil, nil, fmt.Errorf("%s: the transcript has no known format", file)
	}
	var f session.Finder
	return labels, found, errors.Join(transcript.Read(bytes.NewReader(text), format, func(m transcript.Message) error {
		found = append(found, f.Add(m)...)
		return nil
	}))
}

// match marks and returns the label that a finding, or the proposal in it, belongs to; nil without one.
func match(f session.Finding, labels []label) (hit *label) {
	for i := range labels {
		l := &labels[i]
		near := func(line int) bool { return line >= l.Line-2 && line <= l.Line+2*strings.Count(l.Text, "\n")+2 }
		if near(f.Line) && overlap(f.Sentence, l.Text) || near(f.ProposedAt) && overlap(f.Proposal, l.Text) {
			l.found, hit = true, l
		}
	}
	return hit
}

// overlap reports whether the one text contains most of the words of the other.
func overlap(a, b string) bool {
	x, y := words(a), words(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	n := 0
	for w := range x {
		count(&n, y[w])
	}
	return len(x) > 0 && n*10 >= 7*len(x)
}

func words(s string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsFuncSeq(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		out[w] = true
	}
	return out
}

func count(n *int, ok bool) {
	if ok {
		*n++
	}
}
