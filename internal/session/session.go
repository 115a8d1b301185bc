// Package session finds what a session leaves behind: decisions, corrections, and commands that failed until they were given in
// another way. It reads the messages of internal/transcript one after the other.
//
// What it finds are proposals for a reader, so that it prefers to miss one over a wrong one. The rules know English and Russian.
package session

import (
	"slices"
	"strings"
	"time"

	"sdd/internal/decision/capture"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/transcript"
)

// Kind is what a finding is.
type Kind string

const (
	Decision   Kind = "decision"
	Correction Kind = "correction" // the user tells the agent what is right here, or the agent says what it had wrong
	Retry      Kind = "retry"      // a command failed, and worked in another form
)

// Finding is something that a session leaves behind.
type Finding struct {
	Kind       Kind
	Content    string // what was decided or is right, understandable without the session
	Sentence   string // the words of the transcript
	Line       int    // of the transcript
	Proposal   string // the agent's sentence that the user accepted, "" without one
	ProposedAt int    // its line
	Rule       string
	Confidence float64 // 0.5 to below candidate.Sure: a person approves
	Time       time.Time
	Session    string
	record.Causes
}

// Finder reads the messages of one transcript in their order. The caller masks secrets in them. The zero value is ready.
type Finder struct {
	proposal capture.Sentence // what the agent proposed last, until the user answers; Line of the transcript
	failed   []transcript.Message
}

// Add reads the next message and returns what it adds.
func (f *Finder) Add(m transcript.Message) []Finding {
	var out []Finding
	m.Text = announced().ReplaceAllStringFunc(m.Text, func(s string) string { return strings.Repeat("\n", strings.Count(s, "\n")) })
	switch m.Role {
	case transcript.Command:
		out = f.command(m)
	case transcript.User:
		out = f.user(m)
	case transcript.Agent:
		out = f.agent(m)
	}
	for i := range out {
		out[i].Time, out[i].Session = m.Time, m.Session
	}
	return out
}

// announced are signals, which the caller reads.
var announced = pattern.Late(`(?s)<(?:swarm|axiom|chorus)>.*?</(?:swarm|axiom|chorus)>`)

const (
	mostWords   = 60   // of a sentence with a decision or correction
	pastedAfter = 4000 // bytes: of a longer prompt only the ends are the user's talk, the rest is a document
)

// decisions returns the decisions of a text by the rules for prose, from a confidence on.
func decisions(m transcript.Message, least float64) (out []Finding) {
	for _, d := range capture.Find(m.Text) {
		if d.Confidence >= least && d.Status == "accepted" && len(strings.Fields(d.Sentence)) <= mostWords {
			out = append(out, Finding{Kind: Decision, Content: d.Decision, Sentence: d.Sentence, Line: m.At(d.Line), Rule: d.Rule,
				Confidence: min(d.Confidence, unsure), Causes: d.Causes})
		}
	}
	return out
}

const unsure = 0.84 // the highest confidence of a finding

const mostFailed = 8 // commands that failed and wait for one that works

var (
	beforeCommand = pattern.Late(`^(?:cd [^&;|]+ ?(?:&&|;) ?)+`)
	afterCommand  = pattern.Late(`\s*(?:2>&1|\|\s*(?:tail|head|cat|tee|grep)\b[^|]*|[12]?> ?/dev/null)+\s*$`)
	looking       = pattern.Words(`ls cat grep rg find cd echo sed awk head tail git wc test which sleep kill rm cp mv mkdir jq curl`)
)

// command remembers a command that failed, and finds the one that works in another form: another program with the same arguments, or
// further options.
func (f *Finder) command(m transcript.Message) []Finding {
	line := strings.TrimSpace(afterCommand().ReplaceAllString(beforeCommand().ReplaceAllString(m.Command, ""), ""))
	if line == "" || len(line) > 300 || strings.ContainsAny(line, "\n;|&") {
		return nil
	}
	m.Command = line
	if m.Failed {
		f.failed = append(slices.DeleteFunc(f.failed, func(o transcript.Message) bool { return o.Command == line }), m)
		f.failed = f.failed[max(0, len(f.failed)-mostFailed):]
		return nil
	}
	for i, was := range f.failed {
		if was.Command == line {
			f.failed = slices.Delete(f.failed, i, i+1) // the code was wrong, not the command
			return nil
		}
		if otherForm(strings.Fields(was.Command), strings.Fields(line)) {
			f.failed = slices.Delete(f.failed, i, i+1)
			return []Finding{{Kind: Retry, Content: "`" + was.Command + "` fails here; `" + line + "` works.", Sentence: line, Line: m.Line,
				Proposal: was.Command, ProposedAt: was.Line, Rule: "failed, then worked", Confidence: .7}}
		}
	}
	return nil
}

// otherForm reports whether b runs what a should have run: with another program, settings before it, or more options.
func otherForm(a, b []string) bool {
	if len(a) < 2 || looking()[a[0]] || looking()[b[0]] {
		return false
	}
	if len(a) == len(b) && a[0] != b[0] && slices.Equal(a[1:], b[1:]) {
		return true
	}
	set := 0 // words before the program: NAME=value, a runner such as `uv run`
	for set < len(b) && b[set] != a[0] {
		set++
	}
	if set > 0 && set <= 3 && slices.Equal(a, b[set:]) {
		return true
	}
	i := 0
	for _, w := range b {
		switch {
		case i < len(a) && w == a[i]:
			i++
		case !strings.HasPrefix(w, "-"):
			return false
		}
	}
	return i == len(a) && len(b) > len(a)
}
