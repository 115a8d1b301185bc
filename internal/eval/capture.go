package eval

import (
	"context"
	"os"
	"slices"
	"strings"

	"sdd/internal/decision/capture"
	"sdd/internal/eval/must"
	"sdd/internal/fact/extract"
	"sdd/internal/git"
	"sdd/internal/learning/classify"
)

// measureCommits compares the commits that give facts with those that the maintainers named in their changelog. The input is
// messages and names of files, without changed lines.
func measureCommits(_ context.Context, top string) []row {
	commits := readCorpus[struct {
		SHA, Subject, Body string
		Files              []string
		Useful             bool
	}](top, "commits-alertmanager.jsonl.gz")
	found, useful, both := 0, 0, 0
	for _, c := range commits {
		r := git.Revision{ID: c.SHA, Message: c.Subject + "\n\n" + c.Body}
		for _, path := range c.Files {
			r.Files = append(r.Files, git.Change{Status: git.Modified, Path: path})
		}
		gives := len(extract.Told(r)) > 0
		count(&found, gives)
		count(&useful, c.Useful)
		count(&both, gives && c.Useful)
	}
	return []row{
		{Figure: "facts from commits, precision", Tuned: share(both, found), AtLeast: 65},
		{Figure: "facts from commits, recall", Tuned: share(both, useful), AtLeast: 85},
	}
}

// measureDecisions looks for decisions in the sections of decision records, without their headings, and in texts of agents.
func measureDecisions(_ context.Context, top string) []row {
	adrs := readCorpus[adr](top, "adrs.jsonl.gz")
	right, decisions, wrong, others := 0, 0, 0, 0
	for _, a := range adrs {
		if d := strings.TrimSpace(a.Decision); d != "" && !strings.Contains(d, "Chosen option") {
			decisions++
			count(&right, len(capture.Find(d)) > 0)
		}
		for _, t := range []string{a.Context, a.Options} {
			if strings.TrimSpace(t) != "" {
				others++
				count(&wrong, len(capture.Find(t)) > 0)
			}
		}
	}
	messages := readCorpus[struct{ Text string }](top, "agent-messages.jsonl.gz")
	found, sure := 0, 0
	for _, m := range messages {
		all := capture.Find(m.Text)
		count(&found, len(all) > 0)
		count(&sure, slices.ContainsFunc(all, func(d capture.Decision) bool { return d.Confidence >= capture.Sure }))
	}
	return []row{
		{Figure: "decisions in prose without headings", Tuned: share(right, decisions), AtLeast: 75},
		{Figure: "false, on context and options", Tuned: share(wrong, others), AtMost: 8},
		{Figure: "agent messages taken for decisions", Tuned: share(found, len(messages)), AtMost: 5},
		{Figure: "of them sure", Tuned: share(sure, len(messages)), AtMost: 2},
	}
}

// measureRules compares impact and category with the labels of rules. A label is the best value, or several separated by `|`, the
// best first.
func measureRules(_ context.Context, top string) []row {
	var text []byte
	if path := corpusFile(top, "rules.tsv"); path != "" {
		text = must.Get(os.ReadFile(path))
	}
	rules, critical, right := 0, 0, 0
	var best, accepted [2]int // of impact and category
	for n, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		f := strings.Split(line, "\t")
		if n == 0 || len(f) != 4 {
			continue
		}
		rules++
		got := [2]string{classify.Impact(f[1]).Value, classify.Category(f[1], nil).Value}
		for i, value := range got {
			labels := strings.Split(f[2+i], "|")
			count(&best[i], labels[0] == value)
			count(&accepted[i], slices.Contains(labels, value))
		}
		if got[0] == "critical" {
			critical++
			count(&right, slices.Contains(strings.Split(f[2], "|"), "critical"))
		}
	}
	return []row{
		{Figure: "impact, best label", Tuned: share(best[0], rules), AtLeast: 62},
		{Figure: "impact, any accepted label", Tuned: share(accepted[0], rules), AtLeast: 88},
		{Figure: "critical that is right", Tuned: share(right, critical), AtLeast: 80},
		{Figure: "category, best label", Tuned: share(best[1], rules), AtLeast: 70},
		{Figure: "category, any accepted label", Tuned: share(accepted[1], rules), AtLeast: 82},
	}
}

func count(n *int, ok bool) {
	if ok {
		*n++
	}
}
