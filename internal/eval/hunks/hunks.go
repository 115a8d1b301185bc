// Package hunks measures the answers of code search on commits: the subject of a commit is the question, the tree of its parent is
// searched, and the lines that the commit changed are what the answer should show.
package hunks

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/codesearch"
	"sdd/internal/eval/clone"
	"sdd/internal/tokens"
)

// Commit is a question with the files that answer it.
type Commit struct {
	SHA   string   `json:"sha"`
	Query string   `json:"q"`
	Files []string `json:"files"`
}

const (
	mostFiles  = 5  // that a commit of a set changes
	leastWords = 4  // of its subject
	firstFiles = 10 // of an answer, among which a changed file counts as found
	least      = .45
)

// sums are the figures of one repository, means over its commits.
type sums struct {
	commits        int
	files          float64 // changed files among the first ten of the answer
	touched, shown float64 // hunks of which the answer shows a line, or all lines
	tokens         float64
}

// Run measures the repositories in args, and writes a Markdown table. The error names the repositories that miss the bar.
func Run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("sdd-eval hunks", flag.ContinueOnError)
	flags.SetOutput(stderr)
	set := flags.String("set", "", "JSON file with the commits of the repository: sha, q, files (default: taken from its history)")
	write := flags.String("write", "", "only write the commits taken from the history to this file")
	n := flags.Int("n", 40, "commits taken from a history")
	budget := flags.Int("tokens", 3000, "budget of an answer")
	verbose := flags.Bool("v", false, "print every commit")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() == 0 || *set != "" && flags.NArg() > 1 {
		return errors.New("usage: sdd-eval hunks [-v] [-n COMMITS] [-tokens N] [-write FILE] REPOSITORY... | -set FILE REPOSITORY")
	}
	fmt.Fprintln(stdout, "| repository | commits | files in the first ten | hunks shown | hunks touched | tokens |\n|---|--:|--:|--:|--:|--:|")
	var missed []string
	for _, dir := range flags.Args() {
		commits, err := taken(ctx, dir, *n)
		if *set != "" {
			commits, err = load(*set)
		}
		if err != nil {
			return err
		}
		if *write != "" {
			return save(*write, commits)
		}
		var log io.Writer = io.Discard
		if *verbose {
			log = stderr
		}
		s, err := measure(ctx, dir, commits, *budget, log)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		c := float64(max(1, s.commits))
		fmt.Fprintf(stdout, "| %s | %d | %.3f | %.3f | %.3f | %.0f |\n", dir, s.commits, s.files/c, s.shown/c, s.touched/c, s.tokens/c)
		if s.shown/c < least {
			missed = append(missed, dir)
		}
	}
	if missed != nil {
		return fmt.Errorf("less than %g of the hunks are shown in %s", least, strings.Join(missed, ", "))
	}
	return nil
}

func load(file string) (commits []Commit, err error) {
	src, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(src, &commits)
	}
	return commits, err
}

func save(file string, commits []Commit) error {
	src, err := json.MarshalIndent(commits, "", " ")
	if err == nil {
		err = os.WriteFile(file, src, 0o644)
	}
	return err
}

var (
	pullRequest = regexp.MustCompile(`\s*\(#\d+\)\s*$`)
	sourceFile  = regexp.MustCompile(`\.(go|py|rs|js|jsx|ts|tsx|java|kt|c|h|cc|cpp|hpp|cs|php|rb|swift|scala|ex|exs|lua)$`)
	testFile    = regexp.MustCompile(`(?i)(^|/)(tests?|spec|testdata|__tests__|fixtures|vendor)/|_test\.|[._]spec\.|\.test\.|(^|/)test_|Tests?\.`)
)

// taken returns n commits of the history, evenly spread: those that change one to five source files that are no tests, by a subject
// of four words or more.
func taken(ctx context.Context, dir string, n int) ([]Commit, error) {
	log, err := (&clone.Clone{Dir: dir}).Git(ctx, "log", "--no-merges", "--no-renames", "--diff-filter=M", "--name-only", "--format=%x01%H %s")
	if err != nil {
		return nil, err
	}
	var all []Commit
	for one := range strings.SplitSeq(log, "\x01") {
		head, names, _ := strings.Cut(one, "\n")
		sha, subject, _ := strings.Cut(head, " ")
		subject = pullRequest.ReplaceAllString(subject, "")
		c := Commit{SHA: sha, Query: subject}
		for f := range strings.FieldsSeq(names) {
			if sourceFile.MatchString(f) && !testFile.MatchString(f) {
				c.Files = append(c.Files, f)
			}
		}
		if len(c.Files) > 0 && len(c.Files) <= mostFiles && len(strings.Fields(subject)) >= leastWords {
			all = append(all, c)
		}
	}
	if len(all) > 10*n {
		all = all[:10*n]
	}
	var out []Commit
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

// changed returns the hunks of a commit in files.
func changed(ctx context.Context, in *clone.Clone, c Commit) (out []hunk, err error) {
	diff, err := in.Git(ctx, append([]string{"diff", "-U0", "--no-renames", "--no-color", c.SHA + "^", c.SHA, "--"}, c.Files...)...)
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

func measure(ctx context.Context, dir string, commits []Commit, budget int, log io.Writer) (s sums, err error) {
	top, err := os.MkdirTemp("", "sdd-eval-hunks-")
	if err != nil {
		return s, err
	}
	defer os.RemoveAll(top)
	if dir, err = filepath.Abs(dir); err != nil {
		return s, err
	}
	work, err := clone.Of(ctx, dir, filepath.Join(top, path.Base(strings.TrimSuffix(filepath.ToSlash(dir), "/repo"))))
	if err != nil {
		return s, err
	}
	for _, c := range commits {
		hunks, err := changed(ctx, work, c)
		if err != nil {
			return s, err
		}
		if len(hunks) == 0 {
			continue
		}
		if err := work.Checkout(ctx, "--detach", c.SHA+"^"); err != nil {
			return s, err
		}
		r, err := codesearch.Search(ctx, work.Dir, codesearch.Query{Query: c.Query, MaxTokens: budget}, codesearch.Strategy{Mode: codesearch.ModeGrep})
		if err != nil {
			return s, err
		}
		r = read(r.Text())
		any, all := s.add(c, hunks, r)
		fmt.Fprintf(log, "%.8s touched %d shown %d of %d hunks, %d tokens: %s\n", c.SHA, any, all, len(hunks), r.TokensUsed, c.Query)
	}
	return s, nil
}

// add adds the figures of one answer.
func (s *sums) add(c Commit, hunks []hunk, r codesearch.Result) (any, all int) {
	var files []string
	for _, n := range r.Snippets {
		if !slices.Contains(files, n.Path) {
			files = append(files, n.Path)
		}
	}
	found := 0
	for _, f := range c.Files {
		if slices.Contains(files[:min(len(files), firstFiles)], f) {
			found++
		}
	}
	for _, h := range hunks {
		one, whole := h.seen(r)
		if one {
			any++
		}
		if whole {
			all++
		}
	}
	s.commits++
	s.files += float64(found) / float64(len(c.Files))
	s.touched += float64(any) / float64(len(hunks))
	s.shown += float64(all) / float64(len(hunks))
	s.tokens += float64(r.TokensUsed)
	return any, all
}
