// Package extracteval measures what is extracted from commits: of labelled ones, how much of what is told a reader would
// keep, and how much of what a reader would keep is told.
//
// The commits are written for it, as projects of several languages have them. More than a third are such that give
// nothing. A third of them, by a hash of their text, is the held part: rules are made while looking at the others only.
package extracteval

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fact/extract"
)

// labelled is a commit with what a reader would keep of it.
type labelled struct {
	name, lang string
	held       bool
	commit     extract.Commit
	wants      []want
}

// want is a candidate by words that its content has to have, in any case; a word may be one of several, a|b.
type want struct {
	decision bool
	words    []string
}

func (w want) fits(c extract.Candidate) bool {
	if w.decision && c.Kind != extract.Decision {
		return false
	}
	content := strings.ToLower(c.Content)
	for _, word := range w.words {
		if !slices.ContainsFunc(strings.Split(word, "|"), func(s string) bool { return strings.Contains(content, s) }) {
			return false
		}
	}
	return true
}

// read returns the commits in the files *.txt of a folder.
//
// A commit begins with a line `=== name language`. Lines `> ` are its message, `want: words` and `want decision: words`
// what is to be kept, `has: folders` where there were files before. `--- path` begins a file, whose lines begin as in a
// diff: blank in both versions, - before only, + after only. A file with + lines only is new, with - lines only gone.
func read(dir string) (all []labelled, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.txt"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no labelled commits in %s: %w", dir, os.ErrNotExist)
	}
	seen := map[string]bool{}
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, text := range strings.Split("\n"+string(src), "\n=== ")[1:] {
			l, err := parse(text)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
			}
			if seen[l.name] {
				return nil, fmt.Errorf("%s: two commits are called %s", filepath.Base(file), l.name)
			}
			seen[l.name] = true
			all = append(all, l)
		}
	}
	return all, nil
}

func parse(text string) (l labelled, err error) {
	head, rest, _ := strings.Cut(text, "\n")
	if _, err := fmt.Sscan(head, &l.name, &l.lang); err != nil {
		return l, fmt.Errorf("%q: no name and language", head)
	}
	l.held = sha256.Sum256([]byte(text))[0]%3 == 0
	l.commit = extract.Commit{ID: l.name, Parents: 1}
	had, has := map[string]bool{}, map[string]bool{}
	var files []*file
	for line := range strings.Lines(rest) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "--- "):
			files = append(files, &file{path: strings.TrimSpace(line[4:])})
		case len(files) > 0:
			if err := files[len(files)-1].line(line); err != nil {
				return l, fmt.Errorf("%s: %w", l.name, err)
			}
		case line == ">" || strings.HasPrefix(line, "> "):
			l.commit.Message += strings.TrimPrefix(line[1:], " ") + "\n"
		case strings.HasPrefix(line, "want: "):
			l.wants = append(l.wants, want{words: strings.Fields(strings.ToLower(line[6:]))})
		case strings.HasPrefix(line, "want decision: "):
			l.wants = append(l.wants, want{true, strings.Fields(strings.ToLower(line[15:]))})
		case strings.HasPrefix(line, "has: "):
			for _, dir := range strings.Fields(line[5:]) {
				above(dir+"/x", had)
				above(dir+"/x", has)
			}
		case line != "":
			return l, fmt.Errorf("%s: %q is no line of a commit", l.name, line)
		}
	}
	for _, f := range files {
		out := extract.File{Path: f.path, New: f.before == nil && !f.same, Gone: f.after == nil && !f.same}
		if !out.New {
			out.Before = []byte(strings.Join(f.before, ""))
			above(f.path, had)
		}
		if !out.Gone {
			out.After = []byte(strings.Join(f.after, ""))
			above(f.path, has)
		}
		l.commit.Files = append(l.commit.Files, out)
		l.commit.Touched = append(l.commit.Touched, f.path)
	}
	l.commit.Files = extract.Known(l.commit.Files)
	l.commit.Paths = len(files)
	l.commit.Had = func(dir string) bool { return had[dir] }
	l.commit.Has = func(dir string) bool { return has[dir] }
	return l, nil
}

// above marks the folders that a file lies in.
func above(file string, in map[string]bool) {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		in[dir] = true
	}
}

type file struct {
	path          string
	before, after []string
	same          bool // there are lines that both versions have
}

func (f *file) line(line string) error {
	if line == "" {
		line = " "
	}
	text := line[1:] + "\n"
	switch line[0] {
	case ' ':
		f.same = true
		f.before, f.after = append(f.before, text), append(f.after, text)
	case '-':
		f.before = append(f.before, text)
	case '+':
		f.after = append(f.after, text)
	default:
		return fmt.Errorf("%s: the line %q begins with none of blank, - and +", f.path, line)
	}
	return nil
}
