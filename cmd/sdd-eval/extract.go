package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"sdd/internal/fact/extract"
	"sdd/internal/git"
)

// corpusFile returns the file of that name among the real texts, which lie in shared/corpora beside the repository or
// above it; "" where they are not.
func corpusFile(top, name string) string {
	for dir := top; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		file := filepath.Join(filepath.Dir(dir), "shared", "corpora", name)
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// measureExtraction counts commits: whether facts are told of those that the maintainers named in their changelog, and of no
// others. The words and the names of the files are given, not what the lines say.
func measureExtraction(_ context.Context, top string, parts []string) ([]row, error) {
	name := func(project, what string) string { return "facts from commits, " + project + ", " + what }
	rows := []row{
		{Figure: name("alertmanager", "precision"), Must: 65, Real: true},
		{Figure: name("alertmanager", "recall"), Must: 85, Real: true},
		{Figure: name("restic", "precision"), Must: 45, Real: true},
		{Figure: name("restic", "recall"), Must: 85, Real: true},
		{Figure: "facts approved by themselves, true of 100 read by hand", Must: 100, Real: true},
	}
	file := corpusFile(top, "commits-alertmanager.jsonl.gz")
	if file == "" || !slices.Contains(parts, tuned) {
		return rows, nil
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	cases, told, useful, both := 0, 0, 0, 0
	for lines := json.NewDecoder(bufio.NewReader(z)); lines.More(); cases++ {
		var c struct {
			SHA, Subject, Body string
			Files              []string
			Useful             bool
		}
		if err := lines.Decode(&c); err != nil {
			return nil, fmt.Errorf("%s: %w", filepath.Base(file), err)
		}
		r := git.Revision{ID: c.SHA, Message: c.Subject + "\n\n" + c.Body}
		for _, path := range c.Files {
			r.Files = append(r.Files, git.Change{Status: git.Modified, Path: path})
		}
		says := len(extract.Told(r)) > 0
		if says {
			told++
		}
		if c.Useful {
			useful++
		}
		if says && c.Useful {
			both++
		}
	}
	for i, of := range []int{told, useful} {
		v := share(both, of)
		rows[i].Cases, rows[i].Tuned, rows[i].Reached = cases, &v, v.reaches(rows[i].Must)
	}
	return rows, nil
}
