package anchor

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"sdd/internal/symbol"
)

// revision is the commit whose history counts.
func (t *Tree) revision() string {
	if t.rev == "" {
		return "HEAD"
	}
	return t.rev
}

// renames returns the present paths of files that are gone, as git's rename detection in the commit that removed each
// one has it; "" for a file without one. All paths count from the top.
func (t *Tree) renames(ctx context.Context, gone []string) map[string]string {
	head, _ := t.repo.Resolve(ctx, t.revision())
	t.mu.Lock()
	if t.way == nil || t.head != head {
		t.way, t.head = map[string]string{}, head
	}
	step := maps.Clone(t.way)
	t.mu.Unlock()
	present := func(path string) bool { return t.read(path).err == nil }
	unknown := func(path string) bool { _, known := step[path]; return path != "" && !known && !present(path) }
	for ask := slices.DeleteFunc(slices.Clone(gone), func(g string) bool { return !unknown(g) }); len(ask) > 0 && ctx.Err() == nil; {
		found := t.renamed(ctx, ask)
		var next []string
		for _, a := range ask {
			step[a] = found[a]
			if unknown(found[a]) {
				next = append(next, found[a])
			}
		}
		ask = next
	}
	if ctx.Err() == nil {
		t.mu.Lock()
		t.way = step
		t.mu.Unlock()
	}
	out := map[string]string{}
	for _, g := range gone {
		to := step[g]
		for range mostRenames {
			if to == "" || present(to) {
				break
			}
			to = step[to]
		}
		out[g] = to
	}
	return out
}

const mostRenames = 10 // of one file that are followed

// renamed returns, for each path, the file that took its place in the last commit that removed it.
func (t *Tree) renamed(ctx context.Context, paths []string) map[string]string {
	args := append([]string{"log", "--format=%x01%H", "--diff-filter=D", "--no-renames", "--name-only", "-z", t.revision(), "--"}, paths...)
	out, err := t.repo.Run(ctx, args...)
	if err != nil {
		return nil
	}
	removed := map[string]string{} // by path, the latest commit that removed it
	var commits []string
	commit := ""
	for f := range strings.FieldsFuncSeq(string(out), func(r rune) bool { return r == 0 || r == '\n' }) {
		if id, ok := strings.CutPrefix(f, "\x01"); ok {
			commit = id
			continue
		}
		if _, ok := removed[f]; !ok && slices.Contains(paths, f) {
			removed[f] = commit
			commits = append(commits, commit)
		}
	}
	slices.Sort(commits)
	found := map[string]string{}
	for _, c := range slices.Compact(commits) {
		out, err := t.repo.Run(ctx, "show", "--format=", "-z", "--name-status", "-M", "--diff-filter=R", "-m", "--first-parent", c)
		if err != nil {
			continue
		}
		f := strings.Split(string(out), "\x00")
		for i := 0; i+2 < len(f); i++ {
			if status := strings.TrimSpace(f[i]); len(status) > 1 && status[0] == 'R' {
				if removed[f[i+1]] == c {
					found[f[i+1]] = f[i+2]
				}
				i += 2
			}
		}
	}
	return found
}

const (
	namesAtOnce = 200
	mostFiles   = 500 // files that are searched for one name
)

// holding returns the files that hold each word, of tracked and new files that git does not ignore, from the top.
func (t *Tree) holding(ctx context.Context, words []string) map[string][]string {
	files := map[string][]string{}
	for some := range slices.Chunk(words, namesAtOnce) {
		args := []string{"grep", "-l", "-w", "-F", "-z"}
		if t.rev == "" {
			args = append(args, "--untracked")
		}
		for _, w := range some {
			args = append(args, "-e", w)
		}
		if t.rev != "" {
			args = append(args, t.rev)
		}
		out, err := t.repo.Run(ctx, append(args, "--")...)
		if err != nil {
			continue // no file has one
		}
		for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			name = strings.TrimPrefix(name, t.rev+":")
			s := t.read(name)
			if s.err != nil {
				continue
			}
			for _, sym := range s.file.Symbols {
				w := sym.Simple()
				if _, ok := slices.BinarySearch(some, w); ok && len(files[w]) < mostFiles && !slices.Contains(files[w], name) {
					files[w] = append(files[w], name)
				}
			}
		}
	}
	return files
}

// shallow reports whether the clone lacks history; true when git cannot tell.
func (t *Tree) shallow(ctx context.Context) bool {
	is, err := t.repo.Shallow(ctx)
	return is || err != nil
}

const mostVersions = "200" // versions of a file that are read

// version is a file in a commit that changed it.
type version struct{ commit, author, date, subject, path string }

// versions lists the commits that changed a file, the latest first, across its renames. The path counts from the top.
func (t *Tree) versions(ctx context.Context, path string) (all []version) {
	const format = "--format=%x01%H%x00%an%x00%aI%x00%s%x00"
	out, err := t.repo.Run(ctx, "log", format, "-n", mostVersions, "--follow", "--name-only", "-z", "-M", t.revision(), "--", path)
	if err != nil {
		return nil
	}
	for entry := range strings.SplitSeq(string(out), "\x01") {
		if f := strings.SplitN(entry, "\x00", 5); len(f) == 5 {
			all = append(all, version{f[0], f[1], f[2], f[3], strings.Trim(f[4], "\x00\n")})
		}
	}
	return all
}

// fromTop returns the path from the top of an anchor's path.
func (t *Tree) fromTop(path string) string {
	if at, s := t.locate(path); s.err == nil {
		return at
	}
	return t.prefix + path
}

// verify takes back a verdict of Moved when the symbol at the new place was there before: then it is a copy, and the
// anchor's symbol is gone.
func (t *Tree) verify(ctx context.Context, v *Verdict) {
	if !v.alike {
		return
	}
	v.alike = false
	blobs := t.repo.Objects(ctx)
	defer blobs.Close()
	was, now := t.fromTop(v.Path), t.fromTop(v.Now.Path)
	before := t.revision() // the commit before the removal
	for _, x := range t.versions(ctx, was) {
		src, err := blobs.Read(x.commit + ":" + x.path)
		if err != nil || !v.contained(x.path, src) {
			before = x.commit + "^"
			continue
		}
		if now != was {
			if src, err = blobs.Read(before + ":" + now); err != nil {
				return
			}
		}
		for _, s := range symbol.Parse(now, src).Find(v.Now.Symbol) {
			if v.matches(BySymbol, s.Print) {
				v.State, v.Why, v.Lines = Gone, fmt.Sprintf("%s has no %s", v.Path, v.Symbol), [2]int{}
				v.Now = v.Ref
				return
			}
		}
		return
	}
}

// Since finds the change that made a drifted place differ from what the record was saved with; nil when the history has
// no version that matches, or there is no history.
func (t *Tree) Since(ctx context.Context, v Verdict) *Since {
	if t.repo == nil || v.State != Drifted || len(v.Seen) == 0 {
		return nil
	}
	blobs := t.repo.Objects(ctx)
	defer blobs.Close()
	since := &Since{} // not committed
	is := t.Text(v.Now.Path, v.Lines[0], v.Lines[1])
	for i, x := range t.versions(ctx, t.fromTop(v.Now.Path)) {
		src, err := blobs.Read(x.commit + ":" + x.path)
		if err == nil {
			if lines, ok := v.contentIn(symbol.Parse(x.path, src)); ok {
				if i == 0 && t.rev != "" {
					return nil
				}
				since.Was, since.Is, since.First = difference(cut(src, lines[0], lines[1]), is, v.Lines[0])
				return since
			}
		}
		since = &Since{Commit: x.commit, Author: x.author, Date: x.date, Subject: x.subject}
	}
	return nil
}

// contentIn returns the lines of a file that have the anchor's content.
func (v Verdict) contentIn(f *symbol.File) (lines [2]int, ok bool) {
	v.Now.Path = v.Path
	v.State = Gone
	if found := v.in(f); found.State == Fresh || found.State == Moved && v.Symbol == "" {
		return found.Lines, true
	}
	return lines, false
}

// contained reports whether a version of a file has the anchor's content.
func (v Verdict) contained(path string, src []byte) bool {
	_, ok := v.contentIn(symbol.Parse(path, src))
	return ok
}

// difference returns the lines of both texts without the same lines at both ends, and the number of the first line of
// the second, which begins at line from.
func difference(was, is string, from int) (string, string, int) {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, from = a[1:], b[1:], from+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return strings.Join(a, ""), strings.Join(b, ""), from
}
