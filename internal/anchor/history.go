package anchor

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sdd/internal/git"
	"sdd/internal/symbol"
)

// revision is the commit whose history counts.
func (t *Tree) revision() string { return cmp.Or(t.rev, "HEAD") }

// renames returns the present paths of files that are gone, from the top, as git's rename detection has them; "" for one without.
func (p *past) renames(gone []string) map[string]string {
	if len(gone) == 0 {
		return nil
	}
	t, ctx := p.t, p.ctx
	if t.against != nil {
		return t.against.renamed
	}
	head, _ := t.repo.Resolve(ctx, t.revision())
	t.mu.Lock()
	step := maps.Clone(t.way.at(head))
	t.mu.Unlock()
	present := func(path string) bool { return t.read(path).err == nil }
	unknown := func(path string) bool { _, known := step[path]; return path != "" && !known && !present(path) }
	for ask := slices.DeleteFunc(slices.Clone(gone), func(g string) bool { return !unknown(g) }); len(ask) > 0 && ctx.Err() == nil; {
		found := p.renamed(ask)
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
		maps.Copy(t.way.at(head), step)
		t.mu.Unlock()
	}
	if t.rev == "" { // not in t.way: the index changes without a commit
		f, _ := t.repo.Run(ctx, "diff", "--cached", "--name-status", "-z", "-M", "--diff-filter=R", "--no-ext-diff")
		for r := strings.Split(string(f), "\x00"); len(r) > 2; r = r[3:] {
			step[r[1]] = r[2]
		}
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

// renamed returns, for each path that is gone, the file that took its place in the commit that removed it.
func (p *past) renamed(paths []string) map[string]string {
	for _, path := range paths {
		p.want(path)
	}
	removed := map[string]string{} // the commit by path
	var commits []string
	for _, path := range paths {
		if v := p.versions(path); len(v) > 0 {
			removed[path] = v[0].commit
			commits = append(commits, v[0].commit)
		}
	}
	if len(commits) == 0 {
		return nil
	}
	slices.Sort(commits)
	args := []string{"--no-walk", "--name-status", "-M", "--diff-filter=R", "-m", "--first-parent"}
	found, commit := map[string]string{}, ""
	err := p.t.repo.Log(p.ctx, []string{"%H"}, append(args, slices.Compact(commits)...), func(w []string) { commit = w[0] },
		func(f []string) ([]string, bool) { // R100, from, to
			if len(f) < 3 {
				return nil, false
			}
			if removed[f[1]] == commit {
				found[f[1]] = f[2]
			}
			return f[3:], true
		})
	if err != nil {
		return nil
	}
	return found
}

const (
	namesAtOnce = 2000
	mostFiles   = 500 // files that are searched for one name
)

// holding returns the files that hold each word, of tracked and new files that git does not ignore, from the top.
func (t *Tree) holding(ctx context.Context, words []string) map[string][]string {
	files := map[string][]string{}
	if t.against != nil {
		for _, name := range t.against.files {
			t.declared(name, words, files)
		}
		return files
	}
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
			t.declared(strings.TrimPrefix(name, t.rev+":"), some, files)
		}
	}
	return files
}

// declared adds a file to those of each of the sorted words that it declares.
func (t *Tree) declared(name string, words []string, files map[string][]string) {
	s := t.read(name)
	if s.err != nil {
		return
	}
	for _, sym := range s.file.Symbols {
		w := sym.Simple()
		if _, ok := slices.BinarySearch(words, w); ok && len(files[w]) < mostFiles && !slices.Contains(files[w], name) {
			files[w] = append(files[w], name)
		}
	}
}

// fromTop returns the path from the top of an anchor's path.
func (t *Tree) fromTop(path string) string {
	if at, s := t.locate(path); s.err == nil {
		return at
	}
	return t.prefix + path
}

// past reads earlier versions of files: the history of many files through one process, and their contents through another.
type past struct {
	t       *Tree
	ctx     context.Context
	blobs   *git.Objects
	wanted  []string
	logs    map[string][]version
	files   map[string]*symbol.File // by commit and path
	size    int                     // of files, in tokens
	shallow func() bool             // whether the clone lacks history; true when git cannot tell
}

// version is a file in a commit that changed it.
type version struct{ commit, author, date, subject, path string }

func (t *Tree) openPast(ctx context.Context) *past {
	p := &past{t: t, ctx: ctx, blobs: t.repo.Objects(ctx), logs: map[string][]version{}, files: map[string]*symbol.File{}}
	p.shallow = sync.OnceValue(func() bool {
		if t.against != nil {
			return false
		}
		is, err := t.repo.Shallow(ctx)
		return is || err != nil
	})
	return p
}

// want announces a path from the top whose versions will be asked for, so that one process reads all of them.
func (p *past) want(path string) { p.wanted = append(p.wanted, path) }

const (
	mostVersions = 200 // of a file that are read
	mostTokens   = 1_000_000
	pathsAtOnce  = 500
)

// versions lists the commits that changed a file under its present name, the latest first.
func (p *past) versions(path string) []version {
	if _, known := p.logs[path]; !known {
		slices.Sort(p.wanted)
		for some := range slices.Chunk(slices.Compact(append(p.wanted, path)), pathsAtOnce) {
			for _, s := range some {
				p.logs[s] = nil
			}
			for _, v := range p.log(append([]string{"--no-renames", p.t.revision(), "--"}, some...)...) {
				if l, ok := p.logs[v.path]; ok && len(l) < mostVersions {
					p.logs[v.path] = append(l, v)
				}
			}
		}
		p.wanted = nil
	}
	return p.logs[path]
}

// followed is versions across renames, by a process of its own.
func (p *past) followed(path string) []version {
	return p.log("-n", strconv.Itoa(mostVersions), "--follow", "-M", p.t.revision(), "--", path)
}

// log returns a version for each file of each commit that git log lists, none when git fails.
func (p *past) log(args ...string) (all []version) {
	var v version
	err := p.t.repo.Log(p.ctx, []string{"%H", "%an", "%aI", "%s"}, append([]string{"--name-only"}, args...),
		func(w []string) { v = version{w[0], w[1], w[2], w[3], ""} },
		func(f []string) ([]string, bool) {
			v.path = f[0]
			all = append(all, v)
			return f[1:], true
		})
	if err != nil {
		return nil
	}
	return all
}

// file reads a file of a commit, nil when it is not there.
func (p *past) file(commit, path string) *symbol.File {
	key := commit + ":" + path
	f, known := p.files[key]
	if known {
		return f
	}
	if src, err := p.blobs.Read(key); err == nil {
		f = symbol.Parse(path, src)
		p.size += f.Size()
	}
	if p.size > mostTokens {
		clear(p.files)
		p.size = 0
	}
	p.files[key] = f
	return f
}

// verify takes back a verdict of Moved when the symbol at the new place was there before: then it is a copy, and the symbol is gone.
func (p *past) verify(v *Verdict) {
	if !v.alike {
		return
	}
	v.alike = false
	if p.t.against != nil {
		if p.t.against.hadCopy(p.t.fromTop(v.Now.Path), v) {
			v.gone()
		}
		return
	}
	was, now := p.t.fromTop(v.Path), p.t.fromTop(v.Now.Path)
	before, had := p.t.revision(), false // the commit before the removal
	for _, x := range p.versions(was) {
		f := p.file(x.commit, x.path)
		if f != nil {
			_, had = v.contentIn(f)
		}
		if !had {
			before = x.commit + "^"
			continue
		}
		if now != was {
			if f = p.file(before, now); f == nil {
				others := p.followed(now) // it had another path; --follow goes on in the file that the code came from
				for n := 0; n < len(others) && f == nil && others[n].path != was; n++ {
					f = p.file(before, others[n].path)
				}
				if len(others) == 0 && before != p.t.revision() { // renamed and not committed: the removal is older
					v.gone()
					return
				}
			}
		}
		if f == nil {
			return
		}
		if there := f.Find(v.Now.Symbol); len(there) > 0 && v.matchesSymbol(f.Together(there)) {
			v.gone()
		}
		return
	}
}

// gone is the verdict of a symbol that its file no longer has.
func (v *Verdict) gone() {
	v.State, v.Why, v.Lines = Gone, fmt.Sprintf("%s has no %s", v.Path, v.Symbol), [2]int{}
	v.Now = v.Ref
}

// Since finds the change that made a drifted place differ from what its record was saved with, nil when the history does not tell.
func (t *Tree) Since(ctx context.Context, v Verdict) *Since { return t.SinceEach(ctx, []Verdict{v})[0] }

// SinceEach is Since for many verdicts, which it answers with few processes.
func (t *Tree) SinceEach(ctx context.Context, verdicts []Verdict) []*Since {
	out := make([]*Since, len(verdicts))
	if t.repo == nil {
		return out
	}
	p := t.openPast(ctx)
	defer p.blobs.Close()
	number, byPath := map[*Verdict]int{}, map[string][]*Verdict{}
	for i := range verdicts {
		if v := &verdicts[i]; v.State == Drifted && len(v.Seen) > 0 {
			path := t.fromTop(v.Now.Path)
			p.want(path)
			number[v], byPath[path] = i, append(byPath[path], v)
		}
	}
	for path, some := range byPath {
		for _, list := range []func(string) []version{p.versions, p.followed} {
			if len(some) == 0 || ctx.Err() != nil {
				break
			}
			versions := list(path)
			found := p.newest(some, versions, math.MaxInt)
			some = slices.DeleteFunc(some, func(v *Verdict) bool {
				h, ok := found[v]
				if ok {
					out[number[v]] = p.since(v, versions, h)
				}
				return ok
			})
		}
	}
	return out
}

// since describes the change after a version of a file that has the anchor's content.
func (p *past) since(v *Verdict, versions []version, h hit) *Since {
	if h.n == 0 && p.t.rev != "" {
		return nil
	}
	since := &Since{} // not committed
	if h.n > 0 {
		x := versions[h.n-1]
		since = &Since{Commit: x.commit, Author: x.author, Date: x.date, Subject: x.subject}
	}
	is := p.t.Text(v.Now.Path, v.Lines[0], v.Lines[1])
	since.Was, since.Is, since.First = Difference(cut(h.text, h.lines[0], h.lines[1]), is, v.Lines[0])
	return since
}

// hit is a version of a file with an anchor's content, and the lines that have it.
type hit struct {
	n     int
	lines [2]int
	text  []byte
	whole bool // lines are as many as the anchor names; the others are those with code alone
}

// newest returns for each anchor the first version with its content, reading about so many lines; earlier ones tell lines without code.
func (p *past) newest(some []*Verdict, versions []version, lines int) map[*Verdict]hit {
	found, done := map[*Verdict]hit{}, 0
	for n, x := range versions {
		if done == len(some) || lines <= 0 || p.ctx.Err() != nil {
			break
		}
		f := p.file(x.commit, x.path)
		if f == nil {
			continue
		}
		lines -= f.Lines
		for _, v := range some {
			h, ok := found[v]
			lines, has := [2]int{}, false
			if !h.whole {
				lines, has = v.contentIn(f)
			}
			if !has || ok && v.narrows(lines) {
				continue
			}
			text, err := p.blobs.Read(x.commit + ":" + x.path)
			if err != nil {
				continue
			}
			if !ok {
				h = hit{n, lines, text, !v.narrows(lines)}
			} else if is := p.file(versions[h.n].commit, versions[h.n].path); is != nil {
				h.lines, h.whole = v.around(text, lines, is, string(h.text), h.lines), true
			}
			if found[v] = h; h.whole {
				done++
			}
		}
	}
	return found
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

// Difference returns both texts without the same lines at both ends, and the first line of the second, which begins at line from.
func Difference(was, is string, from int) (string, string, int) {
	a, b := strings.SplitAfter(was, "\n"), strings.SplitAfter(is, "\n")
	for len(a) > 0 && len(b) > 0 && a[0] == b[0] {
		a, b, from = a[1:], b[1:], from+1
	}
	for len(a) > 0 && len(b) > 0 && a[len(a)-1] == b[len(b)-1] {
		a, b = a[:len(a)-1], b[:len(b)-1]
	}
	return strings.Join(a, ""), strings.Join(b, ""), from
}
