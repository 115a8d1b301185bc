package git

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// Revision is a commit with its message and the files that it changed.
type Revision struct {
	ID       string
	Parents  []string
	Message  string  // whole, UTF-8 where it says its encoding
	Deltas   []Delta // none of a merge and of a boundary; at most as many as were asked for
	Files    int     // how many there are
	Boundary bool    // a shallow clone ends here: what the commit changed is not known
}

// Revisions returns the commits that to has and from has not (all of to when from is ""), the oldest first, children
// behind their parents. Of more than limit it returns the newest, and more is true. Of each, at most files Deltas are
// kept.
func (r *Repo) Revisions(ctx context.Context, from, to string, limit, files int) (all []Revision, more bool, err error) {
	head, err := r.Resolve(ctx, to)
	if err != nil {
		return nil, false, err
	}
	args := []string{"-c", "log.showSignature=false", "-c", "log.showRoot=true", "log", "--raw", "-z", "--topo-order", "--reverse", "--no-abbrev", "--no-renames",
		"--no-color", "--no-ext-diff", "--no-textconv", "--no-notes", "--no-relative", "--encoding=UTF-8",
		"--max-count=" + strconv.Itoa(limit+1), "--format=" + strings.Join([]string{"%x01%H", "%P", "%B"}, "%x1f"), head}
	if from != "" {
		base, err := r.Resolve(ctx, from)
		if err != nil {
			return nil, false, err
		}
		args = append(args, "^"+base)
	}
	out, err := r.Run(ctx, append(args, "--")...)
	if err != nil {
		return nil, false, err
	}
	boundary := r.boundary()
	for len(out) > 0 {
		var f []string
		f, out = take(f, out, 1)
		if f[0] == "" {
			continue
		}
		if head, ok := strings.CutPrefix(f[0], "\x01"); ok {
			w := strings.SplitN(head, "\x1f", 3)
			if len(w) < 3 {
				return nil, false, fault.New(fault.Internal, "git log said %q", f[0])
			}
			all = append(all, Revision{ID: w[0], Parents: strings.Fields(w[1]), Message: w[2], Boundary: boundary[w[0]]})
			continue
		}
		f, out = take(f, out, 1)
		d, _, ok := parseDelta(f)
		if !ok || len(all) == 0 {
			return nil, false, fault.New(fault.Internal, "git log said %q", f[0])
		}
		if last := &all[len(all)-1]; !last.Boundary {
			last.Files++
			if len(last.Deltas) < files {
				last.Deltas = append(last.Deltas, d...)
			}
		}
	}
	if len(all) > limit {
		return all[len(all)-limit:], true, nil
	}
	return all, false, nil
}

// take moves n fields of NUL-separated output to f.
func take(f []string, out []byte, n int) ([]string, []byte) {
	for range n {
		field, rest, _ := bytes.Cut(out, []byte{0})
		f, out = append(f, string(field)), rest
	}
	return f, out
}

// boundary returns the commits whose parents a shallow clone does not have.
func (r *Repo) boundary() map[string]bool {
	text, err := os.ReadFile(filepath.Join(r.Common, "shallow"))
	if err != nil {
		return nil
	}
	ids := map[string]bool{}
	for _, id := range strings.Fields(string(text)) {
		ids[id] = true
	}
	return ids
}

// Sizes returns how many bytes each of the objects has. Those that this clone does not have are left out. It is one
// process, whatever their number.
func (r *Repo) Sizes(ctx context.Context, ids []string) (map[string]int64, error) {
	sizes := make(map[string]int64, len(ids))
	if len(ids) == 0 {
		return sizes, nil
	}
	out, err := run(ctx, r.Top, nil, []byte(strings.Join(ids, "\n")+"\n"), []string{"cat-file", "--batch-check=%(objectname) %(objectsize)"})
	if err != nil {
		return nil, err
	}
	for l := range strings.Lines(string(out)) {
		id, size, _ := strings.Cut(strings.TrimSpace(l), " ")
		if n, err := strconv.ParseInt(size, 10, 64); err == nil {
			sizes[id] = n
		}
	}
	return sizes, nil
}
