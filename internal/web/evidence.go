package web

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/history"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/transcript"
)

// evidence is a place where a candidate was found, with what a commit changed there or what was said around it.
type evidence struct {
	candidate.Evidence
	Page string // of the commit
	Rows []history.Row
	Said []transcript.Message
	At   int // the message that is evidence
}

const (
	mostEvidence  = 5   // with its surroundings
	mostHunkLines = 40  // of one piece of evidence
	mostDiffLines = 500 // of a file on a commit's page
	mostFiles     = 200
)

var hunkHead = pattern.Late(`^@@ -\d+(?:,\d+)? \+(\d+)`)

// evidenceOf adds to the evidence what this clone and this machine know about it.
func (s *site) evidenceOf(ctx context.Context, all []candidate.Evidence) (out []evidence) {
	soon, stop := context.WithTimeout(ctx, codePatience)
	defer stop()
	for n, e := range all {
		one := evidence{Evidence: e}
		switch {
		case n >= mostEvidence:
		case commitID().MatchString(e.Commit):
			one.Page = address("/commit/"+e.Commit, "path", e.Path)
			if e.Path != "" {
				first, last := lineRange(e.Lines)
				one.Rows = s.diffRows(soon, e.Commit, e.Path, first, last, mostHunkLines)
			}
		case e.Commit == "" && e.Path != "":
			first, _ := lineRange(e.Lines)
			one.Said, one.At = s.uses.Said(soon, e.Path, first)
		}
		out = append(out, one)
	}
	return out
}

// roleWord is the word for the author of a message.
func roleWord(r transcript.Role) string {
	return map[transcript.Role]string{transcript.User: "user", transcript.Agent: "agent", transcript.Command: "command"}[r]
}

// clipped is a text of at most that many characters, in visible form.
func clipped(text string, most int) string {
	if rs := []rune(text); len(rs) > most {
		text = string(rs[:most]) + "…"
	}
	return visible(text)
}

// lineRange reads L10 or L10-L20, 0 for none.
func lineRange(text string) (first, last int) {
	from, to, _ := strings.Cut(strings.ReplaceAll(text, "L", ""), "-")
	first, _ = strconv.Atoi(from)
	if last, _ = strconv.Atoi(to); last < first {
		last = first
	}
	return first, last
}

// diffRows are the lines that a commit changes in a file, with those around them: near the lines first to last of the new file, or from
// the beginning where first is 0 or the commit changes nothing there.
func (s *site) diffRows(ctx context.Context, commit, path string, first, last, most int) []history.Row {
	out, err := git.Run(ctx, s.store.Dir(), "show", "--format=", "--no-color", "--no-ext-diff", "--no-textconv", "-U3", commit, "--", path)
	if err != nil {
		return nil
	}
	var all, near []history.Row
	at := 0 // the line of the new file
	for line := range strings.Lines(string(out)) {
		line = strings.TrimRight(line, "\r\n")
		if m := hunkHead().FindStringSubmatch(line); m != nil {
			at, _ = strconv.Atoi(m[1])
			continue
		}
		if at == 0 || line == "" || line[0] == '\\' { // the head of the file
			continue
		}
		row := history.Row{Mark: line[0], Text: line[1:]} // its marks are those of git
		if all = append(all, row); first > 0 && at >= first-3 && at <= last+3 {
			near = append(near, row)
		}
		if line[0] != history.MarkRemoved {
			at++
		}
	}
	if len(near) > 0 {
		all = near
	}
	return all[:min(len(all), most)]
}

// commitPage is a commit with its files, and what it changes in one of them.
type commitPage struct {
	Commit, Author, Date, Subject, Body string
	Files                               []link
	More                                int // files that are left out
	Path                                string
	Rows                                []history.Row
}

// commit shows a commit of this clone, so that evidence can be looked at where it comes from.
func (s *site) commit(w http.ResponseWriter, r *http.Request) error {
	id, path := r.PathValue("id"), r.URL.Query().Get("path")
	if !commitID().MatchString(id) {
		return fault.New(fault.Invalid, "%q is no commit", record.Brief(id)).With("open the record, and follow its link")
	}
	out, err := git.Run(r.Context(), s.store.Dir(), "show", "--no-color", "--relative", "--name-only", "-z",
		"--format=%H%x00%an%x00%aI%x00%s%x00%b%x00", id)
	if err != nil {
		return fault.New(fault.NotFound, "this clone has no commit %s", id).With("git fetch may bring it")
	}
	part := strings.SplitN(string(out), "\x00", 6)
	if len(part) < 6 {
		return fault.New(fault.NotFound, "git shows nothing for commit %s", id)
	}
	p := commitPage{Commit: part[0], Author: visible(part[1]), Date: part[2], Subject: visible(part[3]), Path: visible(path),
		Body: clipped(strings.TrimSpace(part[4]), 5000)}
	files := strings.FieldsFunc(part[5], func(r rune) bool { return r == 0 || r == '\n' })
	p.More = max(0, len(files)-mostFiles)
	for _, f := range files[:len(files)-p.More] {
		p.Files = append(p.Files, link{visible(f), address("/commit/"+part[0], "path", f)})
	}
	if path != "" {
		soon, stop := context.WithTimeout(r.Context(), codePatience)
		defer stop()
		p.Rows = s.diffRows(soon, part[0], path, 0, 0, mostDiffLines)
	}
	return s.show(w, r, http.StatusOK, "commit", page{Title: fmt.Sprintf("Commit %s", short(part[0])), Body: p})
}
