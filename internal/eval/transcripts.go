package eval

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/analysis"
	finder "sdd/internal/session"
	"sdd/internal/transcript"
)

// The measure transcripts compares what internal/session finds in real transcripts with labels that people made by reading them.

// label is a decision or correction that is worth keeping. Of two labels with repeat_of, one is enough.
type label struct {
	Line     int    `json:"line"`
	Kind     string `json:"kind"`
	Text     string `json:"text"`
	Who      string `json:"who"`
	RepeatOf int    `json:"repeat_of"`

	found bool
}

// measureTranscripts prints recall and precision: a finding is right when its lines and words are those of a label.
func measureTranscripts(c *call) func() error {
	verbose := c.flags.Bool("v", false, "list what is missed and what is wrong")
	return func() error {
		files := get(filepath.Glob(filepath.Join(c.flags.Arg(0), "*.json")))
		if len(files) == 0 || c.flags.NArg() != 1 {
			return errors.New("give a folder with transcripts NNN.md and labels NNN.json")
		}
		var recall, precision ratio
		rules := map[string]*ratio{}
		for _, file := range files {
			labels, found := readLabels(file)
			for _, f := range found {
				if rules[f.Rule] == nil {
					rules[f.Rule] = &ratio{}
				}
				l := matching(f, labels)
				precision.add(l != nil)
				rules[f.Rule].add(l != nil)
				if l == nil && *verbose {
					fmt.Fprintf(c.out, "wrong  %s:%d %s (%s): %s\n", filepath.Base(file), f.Line, f.Kind, f.Rule, f.Sentence)
				}
			}
			for _, l := range labels {
				if l.RepeatOf != 0 {
					continue
				}
				ok := l.found
				for _, o := range labels {
					ok = ok || o.RepeatOf == l.Line && o.found
				}
				if recall.add(ok); !ok && *verbose {
					fmt.Fprintf(c.out, "missed %s:%d %s by %s: %s\n", filepath.Base(file), l.Line, l.Kind, l.Who,
						strings.ReplaceAll(l.Text, "\n", " / "))
				}
			}
		}
		if *verbose {
			for rule, r := range rules {
				fmt.Fprintf(c.out, "%3.0f of %3d right: %s\n", r.Right, r.Of, rule)
			}
		}
		err := table(c.out, "figure|value|must", [][]any{{"transcripts", len(files), ""}, {"recall", recall, "≥ 70 %"},
			{"precision", precision, "≥ 80 %"}})
		if err == nil && (recall.percent() < 70 || precision.percent() < 80) {
			err = errors.New("the bar is missed")
		}
		return err
	}
}

func readLabels(file string) (labels []label, found []finder.Finding) {
	check(json.Unmarshal(get(os.ReadFile(file)), &labels))
	text := get(os.ReadFile(strings.TrimSuffix(file, ".json") + ".md"))
	format := transcript.Detect("x.md", text)
	if format == "" {
		check(fmt.Errorf("%s: the transcript has no known format", file))
	}
	var f finder.Finder
	check(transcript.Read(bytes.NewReader(text), format, func(m transcript.Message) error {
		found = append(found, f.Add(m)...)
		return nil
	}))
	return labels, found
}

// matching marks and returns the label that a finding, or the proposal in it, belongs to; nil without one.
func matching(f finder.Finding, labels []label) (hit *label) {
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
	x, y := analysis.Set(a), analysis.Set(b)
	least := min(len(x), len(y))
	return least > 0 && analysis.Shared(x, y)*10 >= 7*least
}
