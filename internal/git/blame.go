package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"sdd/internal/fault"
)

// BlamedLine is a line of a file and its origin.
type BlamedLine struct {
	Commit  string // "" if the line is not committed
	Author  string
	Date    string // RFC 3339, of the author
	Subject string
	Path    string // of the file in that commit
	Line    int    // in that commit's file
	Text    string
}

// Origin is a line of a file and the commit that wrote its words.
type Origin struct {
	BlamedLine
	Before     string // the commit before that commit, "" if that commit added the file
	BeforePath string // of the file in the commit Before
}

// Annotate returns the lines of the file at path in the commit that rev names, each with the commit that wrote it. It ignores
// changes of white space and moves of lines, within the file or from another file of the same commit.
// With rev WorkTree, text is the file's present text and path its path in the commit that is checked out. The fault is
// NotFound if there is no such commit or file.
func (r *Repo) Annotate(ctx context.Context, rev, path string, text []byte) ([]Origin, error) {
	args := []string{"blame", "--porcelain", "--encoding=UTF-8", "--no-textconv", "-w", "-M", "-C"}
	var stdin []byte
	if rev == WorkTree {
		args = append(args, "--contents", "-")
		stdin = append([]byte{}, text...)
	} else {
		commit, err := r.Resolve(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, commit)
	}
	out, err := run(ctx, r.Top, nil, stdin, append(args, "--", path))
	if exited(err, 128) {
		return nil, fault.New(fault.NotFound, "there is no history of %q", path).With("commit the file first")
	}
	if err != nil {
		return nil, err
	}
	return parseBlame(string(out))
}

// parseBlame reads the porcelain format: for each line a header with the commit, then facts about the commit and its file
// if they are new, then a tab and the text. The facts end with the file's name.
func parseBlame(out string) ([]Origin, error) {
	var all []Origin
	known := map[string]Origin{} // by commit, without line and text
	for out != "" {
		var text string
		text, out, _ = strings.Cut(out, "\n")
		head := strings.Fields(text)
		if len(head) < 3 {
			return nil, unexpected("blame", text)
		}
		id := head[0]
		about := known[id]
		committed := strings.Trim(id, "0") != ""
		var seconds int64
		var before, beforePath string
		for out != "" {
			text, out, _ = strings.Cut(out, "\n")
			if body, ok := strings.CutPrefix(text, "\t"); ok {
				l := about
				l.Text = body
				l.Line, _ = strconv.Atoi(head[1])
				all = append(all, l)
				break
			}
			key, value, _ := strings.Cut(text, " ")
			switch {
			case key == "previous":
				before, beforePath, _ = strings.Cut(value, " ")
			case key == "filename" && committed:
				about.Path, about.Before, about.BeforePath = unquote(value), before, unquote(beforePath)
			case !committed: // ignore the author, time and subject that git invents
			case key == "author":
				about.Commit, about.Author = id, value
			case key == "author-time":
				seconds, _ = strconv.ParseInt(value, 10, 64)
			case key == "author-tz":
				about.Date = inZone(seconds, value)
			case key == "summary":
				about.Subject = value
			}
		}
		known[id] = about
	}
	return all, nil
}

// inZone returns a time as RFC 3339, in a zone of git's form (+0130).
func inZone(seconds int64, zone string) string {
	t := time.Unix(seconds, 0).UTC()
	if at, err := time.Parse("-0700", zone); err == nil {
		t = t.In(at.Location())
	}
	return t.Format(time.RFC3339)
}

// unquote returns a path that git may have quoted as C does.
func unquote(path string) string {
	if s, err := strconv.Unquote(path); err == nil && strings.HasPrefix(path, `"`) {
		return s
	}
	return path
}
