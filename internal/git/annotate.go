package git

import (
	"context"
	"strings"

	"sdd/internal/fault"
)

// Origin is a line of a file and the commit that gave it its words.
type Origin struct {
	BlamedLine
	Before     string // the commit before that one, "" when that one made the file
	BeforePath string // of the file in it
}

// Annotate is Blame that looks through changes of white space and through lines that were moved, in the file or
// from another file of the same commit. The file at path is that of the commit rev; with rev WorkTree, text is what
// the file says now and path where it stands, or stood, in the commit that is checked out.
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
	lines, err := parseBlame(string(out))
	if err != nil {
		return nil, err
	}
	before := previous(string(out))
	all := make([]Origin, len(lines))
	for i, l := range lines {
		if l.Commit == "" {
			l = BlamedLine{Line: l.Line, Text: l.Text} // git says that nobody wrote it just now
		}
		all[i] = Origin{BlamedLine: l}
		if commit, path, ok := strings.Cut(before[l.Commit+"\x00"+l.Path], " "); ok {
			all[i].Before, all[i].BeforePath = commit, unquote(path)
		}
	}
	return all, nil
}

// previous reads from porcelain output, by commit and path in it, the commit before and the path there.
func previous(out string) map[string]string {
	found := map[string]string{}
	var commit, before string
	for l := range strings.Lines(out) {
		l = strings.TrimSuffix(l, "\n")
		switch {
		case strings.HasPrefix(l, "\t"):
			commit, before = "", ""
		case commit == "":
			commit, _, _ = strings.Cut(l, " ")
		default:
			if v, ok := strings.CutPrefix(l, "previous "); ok {
				before = v
			} else if v, ok := strings.CutPrefix(l, "filename "); ok && before != "" {
				found[commit+"\x00"+unquote(v)] = before
			}
		}
	}
	return found
}
