package session

import (
	"slices"
	"strings"

	"sdd/internal/pattern"
	"sdd/internal/transcript"
)

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
