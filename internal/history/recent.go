package history

import (
	"context"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// News is the latest change of a record.
type News struct {
	Change
	Commit  string // "" when it is not committed
	Author  string
	Date    string // RFC 3339, of the author
	Subject string
}

const (
	recentCommits = 50 // commits to read
	perState      = 4  // files to read of one commit for each missing record: some are renamed or not news
)

// Recent lists the latest changed records, each once, at most limit and no candidates: the uncommitted ones by file, then those of the last
// fifty commits. more is true when older commits may have others. The fault is Unavailable without git.
func Recent(ctx context.Context, st *store.Store, limit int) (all []News, more bool, err error) {
	err = inHistory(ctx, st, func(h *history) {
		r := recent{h: h, limit: limit, head: h.head(), paths: map[string]bool{}, ids: map[string]bool{}}
		more = r.read()
		all = r.news
	})
	return all, more, err
}

// read collects the news. more is true when older commits may have others.
func (r *recent) read() (more bool) {
	r.take(r.h.compare(state{rev: r.head}, state{disk: true}, r.wanted()).Records, git.Step{})
	if r.head == "" || len(r.news) == r.limit {
		return len(r.news) == r.limit
	}
	for n, s := range fault.Must(r.h.repo.Steps(r.h.ctx, r.head, recentCommits+1, r.h.prefix)) {
		r.h.goOn()
		if len(r.news) == r.limit || n == recentCommits {
			return true
		}
		wanted := r.wanted()
		deltas := slices.DeleteFunc(slices.Clone(s.Deltas), func(d git.Delta) bool { return !wanted(d) })
		r.take(r.h.changes(state{rev: parent(&s, 0)}, state{rev: s.ID}, deltas), s)
	}
	return len(r.news) == r.limit
}

type recent struct {
	h          *history
	limit      int
	head       string // the commit that is checked out
	news       []News
	paths, ids map[string]bool // of the records with a newer change
}

// wanted accepts the files of one commit that may be news, no more than needed.
func (r *recent) wanted() func(git.Delta) bool {
	left := perState * (r.limit - len(r.news))
	return func(d git.Delta) bool {
		path, ok := r.h.recordPath(d.Path)
		if kind, _ := record.KindOf(path); !ok || kind == record.Candidate || r.paths[path] || left == 0 {
			return false
		}
		left--
		return true
	}
}

// gone reports whether a file that a commit wrote is not in the one that is checked out: a merge did not take it.
func (r *recent) gone(path string) bool {
	_, err := r.h.objects.Read(r.head + ":" + r.h.prefix + "/" + path)
	return fault.Is(err, fault.NotFound)
}

// take adds the changes of one commit, without the records that have a newer change.
func (r *recent) take(changes []Change, s git.Step) {
	for _, c := range changes {
		known := r.ids[c.ID] || c.OldID != "" && r.ids[c.OldID]
		if !known && c.new != nil && s.ID != "" && r.gone(c.new.path) {
			continue
		}
		for _, v := range []*version{c.old, c.new} {
			if v != nil {
				r.paths[v.path], r.ids[v.rec.ID] = true, true
			}
		}
		if !known && len(r.news) < r.limit {
			r.news = append(r.news, News{c, s.ID, s.Author, s.Date, s.Subject})
		}
	}
}
