package code

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/codesearch"
	"sdd/internal/eval/clone"
	"sdd/internal/tokens"
)

const (
	mostChanged = 5   // files of a commit that is taken from a history
	leastWords  = 4   // of its subject
	leastShown  = .45 // share of the hunks of a history's commits
)

var (
	pullRequest = regexp.MustCompile(`\s*\(#\d+\)\s*$`)
	sourceFile  = regexp.MustCompile(`\.(go|py|rs|js|jsx|ts|tsx|java|kt|c|h|cc|cpp|hpp|cs|php|rb|swift|scala|ex|exs|lua)$`)
	testFile    = regexp.MustCompile(`(?i)(^|/)(tests?|spec|testdata|__tests__|fixtures|vendor)/|_test\.|[._]spec\.|\.test\.|(^|/)test_|Tests?\.`)
)

// taken returns n commits of the history, evenly spread: those that change one to five source files that are no tests, by a subject
// of four words or more.
func taken(ctx context.Context, dir string, n int) ([]question, error) {
	log, err := (&clone.Clone{Dir: dir}).Git(ctx, "log", "--no-merges", "--no-renames", "--diff-filter=M", "--name-only", "--format=%x01%H %s")
	if err != nil {
		return nil, err
	}
	var all []question
	for one := range strings.SplitSeq(log, "\x01") {
		head, names, _ := strings.Cut(one, "\n")
		sha, subject, _ := strings.Cut(head, " ")
		subject = pullRequest.ReplaceAllString(subject, "")
		c := question{Dir: dir, SHA: sha, Text: subject, passing: true}
		for f := range strings.FieldsSeq(names) {
			if sourceFile.MatchString(f) && !testFile.MatchString(f) {
				c.Files = append(c.Files, f)
			}
		}
		if len(c.Files) > 0 && len(c.Files) <= mostChanged && len(strings.Fields(subject)) >= leastWords {
			all = append(all, c)
		}
	}
	if len(all) > 10*n {
		all = all[:10*n]
	}
	var out []question
	for i := range min(n, len(all)) {
		out = append(out, all[i*len(all)/min(n, len(all))])
	}
	return out, nil
}

// hunk is a range of lines of a file that a commit changed, as its parent has it. Lines that are only added stand between the lines
// start and end.
type hunk struct {
	path       string
	start, end int
	added      bool
}

var hunkHead = regexp.MustCompile(`^@@ -(\d+)(?:,(\d+))? `)

// changed returns the hunks in the files of a question whose commit is known.
func changed(ctx context.Context, q question) (out []hunk, err error) {
	args := append([]string{"diff", "-U0", "--no-renames", "--no-color", q.searched(), q.commit(), "--"}, q.Files...)
	diff, err := (&clone.Clone{Dir: q.Dir}).Git(ctx, args...)
	file := ""
	for line := range strings.Lines(diff) {
		line = strings.TrimRight(line, "\r\n")
		if name, ok := strings.CutPrefix(line, "--- a/"); ok {
			file = strings.TrimRight(name, "\t")
		}
		if strings.HasPrefix(line, "--- /dev/null") {
			file = ""
		}
		m := hunkHead.FindStringSubmatch(line)
		if m == nil || file == "" {
			continue
		}
		h := hunk{path: file}
		h.start, _ = strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		if h.end = h.start + count - 1; count == 0 {
			h.end, h.added = h.start+1, true
		}
		out = append(out, h)
	}
	return out, err
}

// seen counts the lines of a hunk that the answer shows. Of an addition one of the two lines is enough.
func (h hunk) seen(r codesearch.Result) (any, all bool) {
	n := 0
	for l := h.start; l <= h.end; l++ {
		if slices.ContainsFunc(r.Snippets, func(s codesearch.Snippet) bool {
			return s.Path == h.path && s.StartLine <= l && l <= s.EndLine
		}) {
			n++
		}
	}
	return n > 0, n == h.end-h.start+1 || h.added && n > 0
}

var place = regexp.MustCompile("(?m)^`{3,}\\S* source=\"([^\"]+):([0-9,-]+)\" by=")

// read returns the ranges in the text of an answer, which is what an agent reads.
func read(text string) (r codesearch.Result) {
	for _, m := range place.FindAllStringSubmatch(text, -1) {
		for one := range strings.SplitSeq(m[2], ",") {
			s := codesearch.Snippet{Path: m[1]}
			from, to, _ := strings.Cut(one, "-")
			s.StartLine, _ = strconv.Atoi(from)
			s.EndLine, _ = strconv.Atoi(to)
			r.Snippets = append(r.Snippets, s)
		}
	}
	r.TokensUsed = tokens.Count(text)
	return r
}

// addHunks asks for an answer of a few tokens and adds its share of the hunks that the commit of a question changed.
func (r *row) addHunks(ctx context.Context, top string, q question, o options) error {
	list, err := changed(ctx, q)
	if err != nil || len(list) == 0 {
		return err
	}
	got, err := o.ask(ctx, top, q, codesearch.Query{MaxTokens: o.budget})
	if err != nil {
		return err
	}
	got = read(got.Text())
	for _, h := range list {
		one, whole := h.seen(got)
		if one {
			r.touched += 1 / float64(len(list))
		}
		if whole {
			r.shown += 1 / float64(len(list))
		}
	}
	r.commits++
	r.tokens += float64(got.TokensUsed)
	return nil
}
