package git

import (
	"context"
	"strconv"
	"strings"
	"time"

	"sdd/internal/fault"
)

// BlamedLine is a line of a file and where it came from.
type BlamedLine struct {
	Commit  string // "" when the line is not committed
	Author  string
	Date    string // RFC 3339, of the author
	Subject string
	Path    string // of the file in that commit
	Line    int    // in that commit's file
	Text    string
}

// Blame returns the lines of the file at path in the commit that rev names, or on disk when rev is WorkTree, each with
// the commit that made it. The fault is NotFound when there is no such commit or file.
func (r *Repo) Blame(ctx context.Context, rev, path string) ([]BlamedLine, error) {
	args := []string{"blame", "--porcelain", "--encoding=UTF-8"}
	if rev != WorkTree {
		commit, err := r.Resolve(ctx, rev)
		if err != nil {
			return nil, err
		}
		args = append(args, commit)
	}
	out, err := r.Run(ctx, append(args, "--", path)...)
	if exited(err, 128) {
		return nil, fault.New(fault.NotFound, "there is no history of %q", path).With("commit the file first")
	}
	if err != nil {
		return nil, err
	}
	return parseBlame(string(out))
}

// parseBlame reads the porcelain format: for each line a header with the commit, then, only where the commit is new, what
// is known of it, then a tab and the text.
func parseBlame(out string) ([]BlamedLine, error) {
	var all []BlamedLine
	known := map[string]BlamedLine{} // by commit, and without line and text
	for out != "" {
		var text string
		text, out, _ = strings.Cut(out, "\n")
		head := strings.Fields(text)
		if len(head) < 3 {
			return nil, fault.New(fault.Internal, "git blame said %q", text)
		}
		id := head[0]
		about := known[id]
		if strings.Trim(id, "0") != "" {
			about.Commit = id
		}
		var seconds int64
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
			switch key {
			case "author":
				about.Author = value
			case "author-time":
				seconds, _ = strconv.ParseInt(value, 10, 64)
			case "author-tz":
				about.Date = inZone(seconds, value)
			case "summary":
				about.Subject = value
			case "filename":
				about.Path = unquote(value)
			}
		}
		known[id] = about
	}
	return all, nil
}

// inZone returns a time in a zone as git writes it (+0130) as RFC 3339.
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
