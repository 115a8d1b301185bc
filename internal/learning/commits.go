package learning

import (
	"context"
	"maps"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/frontmatter"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The history, not the clock, decides which commits make a learning doubtful.
//
// A commit counts when it changes the bytes of a file that the learning names (or deletes it), and the learning's author did not know the
// commit. The author knew the commit that added the learning's file, the one with its validation or resurrection, and all before these; of
// an uncommitted learning the commit that was checked out when it was made (head.go), else all before its time. A commit of the learning's
// own task (its message names the parent) does not count, nor does one that changes the learning's file. A renamed
// file is followed; the old name stays valid. The verdict names the earliest.

// commitVerdict is the verdict of the commits on one learning.
type commitVerdict struct {
	Basis  string // the input of the decision: when it changes, the commits are judged again
	Commit string // "" when no commit counts
	File   string // the file that the commit changed
}

// judgeCommits judges each learning that names files. The caller has the turn. The result is incomplete when git fails.
func (b *cache) judgeCommits(ctx context.Context, head string) (complete bool, err error) {
	notes := sync.OnceValue(b.l.heads)
	b.state.Lock()
	before := b.commits
	b.commits = map[string]commitVerdict{}
	var todo []*subject
	for path, i := range b.All {
		was, known := before[path]
		other, _ := record.Repository(path) // its commits are not those of this one
		if !i.Learning() || i.Status != active || head == "" || len(i.files) == 0 || other != "" {
			continue
		}
		v := commitVerdict{Basis: strings.Join([]string{i.ID, i.Created, i.confirmed(), i.Parent, strings.Join(i.files, "\x00")}, "\x01")}
		if known && head == b.head && was.Basis == v.Basis {
			v = was
		} else if seen := notes()[i.ID+" "+i.heldAt()]; seen != head { // made at this commit: no commit is newer
			todo = append(todo, &subject{idea: i, seen: seen, was: was.Commit})
		}
		b.commits[path] = v
	}
	first := b.head == ""
	b.dirty = b.dirty || head != b.head || len(todo) > 0
	b.head = head
	b.state.Unlock()
	if len(todo) == 0 {
		return true, nil
	}
	slices.SortFunc(todo, func(a, b *subject) int { return strings.Compare(a.idea.path, b.idea.path) })
	err = b.l.decide(ctx, head, todo)
	b.state.Lock()
	defer b.state.Unlock()
	for _, s := range todo {
		if err != nil { // without git, or when it fails, there are no verdicts
			delete(b.commits, s.idea.path)
			continue
		}
		v := b.commits[s.idea.path]
		v.Commit, v.File = s.commit, s.file
		b.commits[s.idea.path] = v
		if !first && v.Commit != "" && s.was != v.Commit {
			b.l.events.check(s.idea, v)
		}
	}
	if err != nil {
		return false, ctx.Err()
	}
	return true, nil
}

// subject is a learning to judge.
type subject struct {
	idea *Idea
	seen string // the commit that was checked out when it was made or confirmed, if known
	was  string // the commit of its verdict so far

	added []int          // commits that added its file
	blobs map[int]string // its file after each commit that changed it
	gone  bool           // the checked-out commit lacks its file
	known []int          // it knew these commits and all before them
	upTo  int64          // and all commits up to this time, when it is not committed; 0 for none

	commit, file string
}

// entry is a file that a commit changed.
type entry struct {
	status byte
	path   string
	from   string // of a renamed one
	same   bool   // the commit did not change its bytes
	blob   string // the new bytes
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
func (l *Learnings) decide(ctx context.Context, head string, subjects []*subject) (err error) {
	defer fault.Caught(&err)
	repo := fault.Must(git.Open(l.st.Home()))
	prefix := store.PathIn(repo, l.st.Home()) + "/"
	h := fault.Must(readHistory(ctx, repo, head, prefix, subjects))
	h.trace(prefix, subjects)
	h.read = repo.Objects(ctx)
	defer h.read.Close()
	h.find(subjects, l)
	return nil
}

// history is the relevant part of the log, the oldest commit first.
type history struct {
	commits []change
	number  map[string]int
	before  map[int]*big.Int // a bit for each commit before one, itself included
	read    *git.Objects
}

// readHistory reads the log from the first commit that has a learning.
func readHistory(ctx context.Context, repo *git.Repo, head, prefix string, subjects []*subject) (_ *history, err error) {
	defer fault.Caught(&err)
	out := fault.Must(repo.Run(ctx, "rev-list", "--parents", "--topo-order", "--simplify-merges", head, "--", prefix+"ideas"))
	var first []string // commits with learnings and without such a parent, later also those that were checked out
	for row := range strings.Lines(string(out)) {
		if ids := strings.Fields(row); len(ids) == 1 {
			first = append(first, ids[0])
		}
	}
	oldest := int64(0)
	for _, s := range subjects {
		switch {
		case s.seen != "" && !slices.Contains(first, s.seen) && len(first) < 50:
			first = append(first, s.seen)
		case s.idea.created > 0 && (oldest == 0 || s.idea.created < oldest):
			oldest = s.idea.created
		}
	}
	args := []string{"--topo-order", "--raw", "--no-abbrev", "-M", "-c", head}
	h := &history{number: map[string]int{}, before: map[int]*big.Int{}}
	if len(first) > 0 {
		if out, err := repo.Run(ctx, append([]string{"merge-base", "--octopus"}, first...)...); err == nil {
			args = append(args, "--not", strings.TrimSpace(string(out))+"^@")
		}
	} else if oldest > 0 {
		args = append(args, "--since="+strconv.FormatInt(oldest, 10))
	}
	fault.Check(repo.Log(ctx, []string{"%H", "%P", "%ct", "%B"}, append(args, "--"), func(v []string) {
		at, _ := strconv.ParseInt(v[2], 10, 64)
		h.commits = append(h.commits, change{id: v[0], parents: strings.Fields(v[1]), at: at, message: v[3]})
	}, func(f []string) ([]string, bool) {
		e, rest, ok := parseEntry(f)
		c := &h.commits[len(h.commits)-1]
		c.entries = append(c.entries, e)
		return rest, ok
	}))
	slices.Reverse(h.commits)
	for n, c := range h.commits {
		h.number[c.id] = n
	}
	return h, nil
}

// parseEntry reads a file of a commit from the fields of --raw -z: `:mode mode id id letter` and a path, of a renamed file two; in a
// merge a colon, a mode and an id for each parent.
func parseEntry(f []string) (e entry, rest []string, ok bool) {
	w := strings.Fields(strings.TrimLeft(f[0], ":"))
	if f[0][0] != ':' || len(w) < 5 || len(f) < 2 {
		return e, nil, false
	}
	parents := (len(w) - 3) / 2
	ids := w[parents+1 : len(w)-1]
	e = entry{status: w[len(w)-1][0], path: f[1], blob: ids[parents], same: parents == 1 && ids[0] == ids[1]}
	switch {
	case parents > 1:
		e.status = 'M'
	case e.status != 'R' && e.status != 'C':
	case len(f) < 3:
		return e, nil, false
	default:
		e.from, e.path = f[1], f[2]
		return e, f[3:], true
	}
	return e, f[2:], true
}

// trace finds the commits that added or changed the learnings' own files.
func (h *history) trace(prefix string, subjects []*subject) {
	at := make(map[string]*subject, len(subjects))
	for _, s := range subjects {
		at[prefix+s.idea.path] = s
		s.blobs = map[int]string{}
	}
	for n := len(h.commits) - 1; n >= 0; n-- {
		for _, e := range h.commits[n].entries {
			s := at[e.path]
			if s == nil {
				continue
			}
			s.gone = s.gone || len(s.blobs) == 0 && e.status == 'D' // the newest change
			s.blobs[n] = e.blob
			if e.status == 'A' {
				s.added = append(s.added, n)
			} else if e.status == 'R' && at[e.from] == nil && strings.HasPrefix(e.from, prefix) {
				at[e.from] = s
			}
		}
	}
}

// find goes from the oldest commit to the newest and gives each subject the first that counts.
func (h *history) find(subjects []*subject, l *Learnings) {
	named := map[string][]*subject{}   // by a path or its end, as written in the learning
	renamed := map[string][]*subject{} // by the whole later path of a named file
	for _, s := range subjects {
		for _, f := range s.idea.files {
			named[f] = append(named[f], s)
		}
	}
	whose := func(p string) []*subject {
		hit := slices.Clone(renamed[p])
		for more := true; more; _, p, more = strings.Cut(p, "/") {
			hit = append(hit, named[p]...)
		}
		return hit
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
			// Another file got a name that the learning has, and did not have one before.
			for _, s := range whose(e.path) {
				if s.commit == "" && !slices.Contains(whose(e.from), s) && h.counts(n, s, l) {
					s.commit, s.file = c.id, e.path
				}
			}
		}
	}
}

// counts reports whether the author of the subject did not know a commit that touches its file, and the commit is not of
// its task.
func (h *history) counts(n int, s *subject, l *Learnings) bool {
	c := &h.commits[n]
	if _, own := s.blobs[n]; own {
		return false
	}
	if s.known == nil {
		h.learn(s)
	}
	knew := func(k int) bool { return n <= k && h.upTo(k).Bit(n) == 1 }
	own := func(name string) bool { return mentions(c.message, name) }
	return (s.upTo == 0 || c.at > s.upTo) && !slices.ContainsFunc(s.known, knew) && !slices.ContainsFunc(l.parentNames(s.idea), own)
}

// learn finds the commits that the subject knew.
func (h *history) learn(s *subject) {
	s.known = []int{}
	committed := len(s.added) > 0 && !s.gone
	if committed {
		s.known = slices.Clone(s.added)
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
	if s.upTo = record.Moment(when); s.upTo == 0 {
		s.upTo = math.MaxInt64 // written by hand without a time: it describes the present state
	}
}

// confirmedBy returns the first commit that has the learning's file with that time of confirmation.
func (h *history) confirmedBy(s *subject, when string) (int, bool) {
	for _, n := range slices.Sorted(maps.Keys(s.blobs)) {
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

// upTo returns a commit and all before it.
func (h *history) upTo(n int) *big.Int {
	if b, ok := h.before[n]; ok {
		return b
	}
	b := new(big.Int)
	b.SetBit(b, n, 1)
	for i := n; i >= 0; i-- { // parents come before their children
		for _, p := range h.commits[i].parents {
			if k, ok := h.number[p]; ok && b.Bit(i) == 1 {
				b.SetBit(b, k, 1)
			}
		}
	}
	h.before[n] = b
	return b
}

// parentNames returns the names of a learning's parent that a message may have.
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

// mentions reports whether a message has a name as a whole word. WEB-1 is not in WEB-12, #34 not in #345.
func mentions(message, name string) bool {
	word, err := regexp.Compile(`(?i)(?:^|[^\pL\p{Nd}_-])` + regexp.QuoteMeta(name) + `(?:$|[^\pL\p{Nd}_])`)
	return err == nil && name != "" && word.MatchString(message)
}
