package learning

import (
	"context"
	"math"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Which commits make a learning doubtful is decided by history, not by clocks.
//
// A commit counts when it changes the bytes of a file that the learning names (or deletes it), and is not among
// what the learning's author knew: the commit that added the learning's file and all before it; the same of the commit that
// brought its validation or resurrection. The earliest one that counts is named. It does not count when it is of the
// learning's own task (its message names the parent) or itself changes the learning's file. A renamed file is
// followed; the old name stays named.
//
// A learning that is not committed yet knew what was checked out when it was made (head.go), else everything committed by then.

// commitVerdict is what the commits say of one learning.
type commitVerdict struct {
	Basis  string // what it was decided from: when that changes, it is decided again
	Commit string // "" when no commit counts
	File   string // that it changed
}

// basis is what the verdict of the commits depends on, beside the commits.
func (i *Idea) basis(files []string) string {
	return strings.Join([]string{i.ID, i.Created, i.confirmed(), i.Parent, strings.Join(files, "\x00")}, "\x01")
}

// judgeCommits decides for each learning at those paths that names files. It is called by who has the turn, and
// incomplete where git cannot tell.
func (b *cache) judgeCommits(ctx context.Context, head string, paths map[string]bool) (complete bool, err error) {
	b.state.Lock()
	if b.commits == nil {
		b.commits = map[string]commitVerdict{}
	}
	moved := head != b.head
	before := map[string]commitVerdict{}
	var todo []*subject
	for path := range paths {
		i := b.files.All[path]
		was, known := b.commits[path]
		if i == nil || !i.Learning() || i.Status != active || head == "" || len(i.files) == 0 {
			delete(b.commits, path)
			continue
		}
		basis := i.basis(i.files)
		if known && !moved && was.Basis == basis {
			continue
		}
		if known {
			before[path] = was
		}
		b.commits[path] = commitVerdict{Basis: basis}
		todo = append(todo, &subject{idea: i, files: i.files})
	}
	seen := b.head != ""
	if moved || len(todo) > 0 {
		b.head, b.dirty = head, true
	}
	b.state.Unlock()
	if todo = b.l.withoutNews(todo, head); len(todo) == 0 {
		return true, nil
	}
	slices.SortFunc(todo, func(a, b *subject) int { return strings.Compare(a.idea.path, b.idea.path) })
	if err := b.l.decide(ctx, head, todo); err != nil {
		for _, s := range todo {
			b.forget(s.idea.path)
		}
		return false, ctx.Err() // no git, or one that cannot tell: no verdicts
	}
	b.state.Lock()
	defer b.state.Unlock()
	for _, s := range todo {
		v := b.commits[s.idea.path]
		v.Commit, v.File = s.commit, s.file
		b.commits[s.idea.path] = v
		if seen && v.Commit != "" && before[s.idea.path].Commit != v.Commit {
			b.l.events.check(s.idea, v)
		}
	}
	return true, nil
}

// forget drops what the commits said of a learning.
func (b *cache) forget(path string) {
	b.state.Lock()
	defer b.state.Unlock()
	delete(b.commits, path)
}

// withoutNews leaves out learnings that were made or confirmed at the commit that is checked out.
func (l *Learnings) withoutNews(todo []*subject, head string) []*subject {
	if len(todo) == 0 {
		return nil
	}
	notes := l.heads()
	return slices.DeleteFunc(todo, func(s *subject) bool {
		s.seen = notes[s.idea.ID+" "+s.idea.heldAt()]
		return s.seen == head
	})
}

// subject is a learning that is being decided on.
type subject struct {
	idea  *Idea
	files []string
	seen  string // the commit that was checked out when it was made or confirmed, where that is known

	added   []int // commits that added its file
	changed []int // commits that changed it otherwise
	blobs   map[int]string
	gone    bool // its file is not in the commit that is checked out
	looked  bool
	known   []int // it knew these commits and all before them
	upTo    int64 // and all made up to then, when it is not committed; 0 is none

	commit, file string
}

// entry is a file that a commit changed.
type entry struct {
	status   byte
	path     string
	from     string // of a renamed one
	same     bool   // the bytes are as they were
	blob     string // the new ones
	combined bool   // of a merge: differs from all parents
}

// change is a commit.
type change struct {
	id      string
	parents []string
	at      int64 // of the committer, in seconds since 1970
	message string
	entries []entry
}

// decide finds for each subject the earliest commit that counts.
func (l *Learnings) decide(ctx context.Context, head string, subjects []*subject) error {
	repo, err := git.Open(l.st.Dir())
	if err != nil {
		return err
	}
	below, err := filepath.Rel(repo.Top, l.st.Dir())
	if err != nil {
		return err
	}
	prefix := path.Join(filepath.ToSlash(below), store.Folder) + "/"
	h, err := readHistory(ctx, repo, head, prefix, subjects)
	if err != nil {
		return err
	}
	h.trace(prefix, subjects)
	h.read = repo.Objects(ctx)
	defer h.read.Close()
	h.find(subjects, l)
	return nil
}

// history is the part of the log that matters, the oldest commit first.
type history struct {
	commits []change
	number  map[string]int
	before  map[int]bitset // the commits before one, itself included
	cut     string         // all before and with it is left out, and known to every subject
	read    *git.Objects
}

// readHistory reads the log from the first commit that has a learning.
func readHistory(ctx context.Context, repo *git.Repo, head, prefix string, subjects []*subject) (*history, error) {
	out, err := repo.Run(ctx, "rev-list", "--parents", "--topo-order", "--full-history", head, "--", prefix+"ideas")
	if err != nil {
		return nil, err
	}
	var roots []string // commits with learnings that have none before them
	for row := range strings.Lines(string(out)) {
		if ids := strings.Fields(row); len(ids) == 1 {
			roots = append(roots, ids[0])
		}
	}
	first := append([]string{}, roots...)
	oldest := int64(0)
	for _, s := range subjects {
		switch {
		case s.seen != "" && !slices.Contains(first, s.seen) && len(first) < 50:
			first = append(first, s.seen)
		case s.idea.created > 0 && (oldest == 0 || s.idea.created < oldest):
			oldest = s.idea.created
		}
	}
	args := []string{"-c", "log.showSignature=false", "-c", "log.showRoot=true", "log", "-z", "--topo-order", "--raw", "--no-abbrev", "-M", "-c",
		"--no-color", "--no-ext-diff", "--no-textconv", "--encoding=UTF-8", "--format=%x01%H%x1f%P%x1f%ct%x1f%B%x1e", head}
	h := &history{number: map[string]int{}, before: map[int]bitset{}}
	switch {
	case len(first) == 1 && len(roots) == 1:
		args = append(args, "--not", roots[0]+"^@")
	case len(first) > 0:
		if out, err := repo.Run(ctx, append([]string{"merge-base", "--octopus"}, first...)...); err == nil {
			if h.cut = strings.TrimSpace(string(out)); h.cut != "" && !slices.Contains(roots, h.cut) {
				args = append(args, "--not", h.cut)
			} else if h.cut != "" {
				args, h.cut = append(args, "--not", h.cut+"^@"), ""
			}
		}
	case oldest > 0:
		args = append(args, "--since="+strconv.FormatInt(oldest, 10))
	}
	if out, err = repo.Run(ctx, append(args, "--")...); err != nil {
		return nil, err
	}
	if h.commits, err = parseLog(string(out)); err != nil {
		return nil, err
	}
	slices.Reverse(h.commits)
	for n, c := range h.commits {
		h.number[c.id] = n
	}
	return h, nil
}

// parseLog reads what git log wrote, the newest commit first.
func parseLog(out string) (all []change, err error) {
	bad := func(f string) error { return fault.New(fault.Internal, "git log said %q", record.Brief(f)) }
	f := strings.Split(out, "\x00")
	for n := 0; n < len(f); {
		field := strings.TrimLeft(f[n], "\n")
		switch {
		case field == "":
			n++
		case field[0] == 1:
			p := strings.SplitN(strings.TrimSuffix(field[1:], "\x1e"), "\x1f", 4)
			if len(p) < 4 {
				return nil, bad(field)
			}
			at, _ := strconv.ParseInt(p[2], 10, 64)
			all = append(all, change{id: p[0], parents: strings.Fields(p[1]), at: at, message: strings.TrimSuffix(p[3], "\x1e")})
			n++
		case field[0] == ':' && len(all) > 0:
			e, used, ok := parseEntry(field, f[n+1:])
			if !ok {
				return nil, bad(field)
			}
			c := &all[len(all)-1]
			c.entries = append(c.entries, e)
			n += 1 + used
		default:
			return nil, bad(field)
		}
	}
	return all, nil
}

// parseEntry reads `:mode mode id id letter`, in a merge with a colon, mode and id for each parent.
func parseEntry(field string, rest []string) (e entry, used int, ok bool) {
	parents := len(field) - len(strings.TrimLeft(field, ":"))
	w := strings.Fields(field[parents:])
	if len(w) != 2*(parents+1)+1 || len(rest) == 0 {
		return e, 0, false
	}
	ids, letters := w[parents+1:len(w)-1], w[len(w)-1]
	e.status, e.path, used = letters[0], rest[0], 1
	if parents > 1 {
		e.combined, e.status, e.blob = true, 'M', ids[parents]
		return e, 1, true
	}
	if e.status == 'R' || e.status == 'C' {
		if len(rest) < 2 {
			return e, 0, false
		}
		e.from, e.path, used = rest[0], rest[1], 2
	}
	e.same, e.blob = ids[0] == ids[1], ids[1]
	return e, used, true
}

// trace finds the commits that added and changed the learnings' own files.
func (h *history) trace(prefix string, subjects []*subject) {
	at := make(map[string]*subject, len(subjects))
	for _, s := range subjects {
		at[prefix+s.idea.path] = s
		s.blobs = map[int]string{}
	}
	for n := len(h.commits) - 1; n >= 0; n-- {
		for _, e := range h.commits[n].entries {
			if !strings.HasPrefix(e.path, prefix) {
				continue
			}
			s := at[e.path]
			if s == nil {
				continue
			}
			if !s.looked {
				s.looked, s.gone = true, e.status == 'D'
			}
			s.blobs[n] = e.blob
			switch e.status {
			case 'A':
				s.added = append(s.added, n)
			case 'R':
				s.changed = append(s.changed, n)
				if at[e.from] == nil {
					at[e.from] = s
				}
			default:
				s.changed = append(s.changed, n)
			}
		}
	}
}

// find walks from the oldest commit to the newest and gives each subject the first that counts.
func (h *history) find(subjects []*subject, l *Learnings) {
	named := map[string][]*subject{}   // by a path or its end, as the learning has it
	renamed := map[string][]*subject{} // by a whole path that a named file got later
	for _, s := range subjects {
		for _, f := range s.files {
			named[f] = append(named[f], s)
		}
	}
	var hit []*subject
	whose := func(p string) []*subject {
		hit = append(hit[:0], renamed[p]...)
		for at := p; ; {
			hit = append(hit, named[at]...)
			_, rest, ok := strings.Cut(at, "/")
			if !ok {
				return hit
			}
			at = rest
		}
	}
	for n := range h.commits {
		c := &h.commits[n]
		for _, e := range c.entries {
			old := e.path
			if e.status == 'R' {
				old = e.from
			}
			for _, s := range whose(old) {
				if e.status == 'R' && !slices.Contains(renamed[e.path], s) {
					renamed[e.path] = append(renamed[e.path], s)
				}
				if s.commit == "" && !e.same && e.status != 'C' && h.counts(n, s, l) {
					s.commit, s.file = c.id, old
				}
			}
			if e.status != 'R' {
				continue
			}
			// Another file took a name that is named, and was not one of the subject's before.
			for _, s := range slices.Clone(whose(e.path)) {
				if s.commit == "" && !slices.Contains(whose(e.from), s) && h.counts(n, s, l) {
					s.commit, s.file = c.id, e.path
				}
			}
		}
	}
}

// counts reports whether a commit that touches a file of the subject is news to it, and not of its own task.
func (h *history) counts(n int, s *subject, l *Learnings) bool {
	c := &h.commits[n]
	if slices.Contains(s.added, n) || slices.Contains(s.changed, n) {
		return false
	}
	if s.known == nil {
		h.learn(s)
	}
	if s.upTo > 0 && c.at <= s.upTo {
		return false
	}
	for _, k := range s.known {
		if n == k || n < k && h.upTo(k).has(n) {
			return false
		}
	}
	for _, name := range l.parentNames(s.idea) {
		if mentions(c.message, name) {
			return false
		}
	}
	return true
}

// learn finds out which commits the subject knew.
func (h *history) learn(s *subject) {
	s.known = []int{}
	committed := len(s.added) > 0 && !s.gone
	if committed {
		s.known = append(s.known, s.added...)
	}
	when := s.idea.confirmed()
	if when == "" {
		if committed {
			return
		}
		when = s.idea.Created
	} else if n, ok := h.confirmedBy(s, when); committed && ok {
		s.known = append(s.known, n)
		return
	}
	if n, ok := h.number[s.seen]; ok && s.seen != "" {
		s.known = append(s.known, n)
		return
	}
	if s.seen != "" && s.seen == h.cut {
		return
	}
	if s.upTo = record.Moment(when); s.upTo == 0 {
		s.upTo = math.MaxInt64 // written by hand without a time: it speaks of what is there
	}
}

// confirmedBy returns the first commit in which the learning's file says that it was confirmed then.
func (h *history) confirmedBy(s *subject, when string) (int, bool) {
	own := slices.Concat(s.added, s.changed)
	slices.Sort(own)
	for _, n := range own {
		src, err := h.read.Read(s.blobs[n])
		if err != nil {
			continue
		}
		if fm, err := frontmatter.Parse(src); err == nil && (fm.String("validated_at") == when || fm.String("resurrected_at") == when) {
			return n, true
		}
	}
	return 0, false
}

// upTo returns the commits before one, and itself.
func (h *history) upTo(n int) bitset {
	if b, ok := h.before[n]; ok {
		return b
	}
	b := make(bitset, len(h.commits)/64+1)
	b.add(n)
	for i := n; i >= 0; i-- { // parents come before their children
		if !b.has(i) {
			continue
		}
		for _, p := range h.commits[i].parents {
			if k, ok := h.number[p]; ok {
				b.add(k)
			}
		}
	}
	h.before[n] = b
	return b
}

type bitset []uint64

func (b bitset) add(n int)      { b[n/64] |= 1 << (n % 64) }
func (b bitset) has(n int) bool { return b[n/64]&(1<<(n%64)) != 0 }

// parentNames are what a message may call the parent of a learning.
func (l *Learnings) parentNames(i *Idea) []string {
	if i.Parent == "" {
		return nil
	}
	names := []string{i.Parent}
	for _, p := range l.cache.named(i.Parent) {
		names = append(append(names, p.ID), p.Aliases...)
	}
	return names
}

// mentions reports whether a message has a name as a word of its own. WEB-1 is not in WEB-12, #34 not in #345.
func mentions(message, name string) bool {
	message, name = strings.ToLower(message), strings.ToLower(name)
	for at := 0; name != ""; {
		n := strings.Index(message[at:], name)
		if n < 0 {
			return false
		}
		start, end := at+n, at+n+len(name)
		before, _ := utf8.DecodeLastRuneInString(message[:start])
		next, _ := utf8.DecodeRuneInString(message[end:])
		if !partOfName(before) && before != '-' && !partOfName(next) {
			return true
		}
		at = start + 1
		for at < len(message) && !utf8.RuneStart(message[at]) {
			at++
		}
	}
	return false
}

func partOfName(r rune) bool {
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_')
}
