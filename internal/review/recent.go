package review

import (
	"context"
	"slices"

	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// News is a record that was made, changed, renamed or removed lately, by the last time that this happened.
type News struct {
	Change
	Commit  string // "" when it is in none yet
	Author  string
	Date    string // RFC 3339, of the author
	Subject string
}

const (
	recentCommits = 50 // that changed records
	perState      = 4  // files that are read of one commit, for each record that is wanted: a file may be renamed or no news
)

// Recent tells of the records that changed lately, each once: what is not committed first, by file, then the newest
// commits of what is checked out. It tells of at most limit records, looks at the last fifty commits that changed any, and
// leaves candidates out, which are no records yet; more says that older commits were not looked at. The fault is Unavailable where
// there is no git.
func Recent(ctx context.Context, st *store.Store, limit int) (all []News, more bool, err error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return nil, false, err
	}
	defer h.close()
	head, err := h.repo.Head(ctx)
	if err != nil {
		return nil, false, err
	}
	r := recent{h: h, limit: limit, paths: map[string]bool{}, ids: map[string]bool{}}
	open, err := h.compareSome(state{rev: head}, state{disk: true}, r.wanted())
	if err != nil {
		return nil, false, err
	}
	r.take(open.Records, git.Step{})
	if head == "" || len(r.news) == limit {
		return r.news, len(r.news) == limit, nil
	}
	steps, err := h.repo.LatestSteps(ctx, head, recentCommits+1, h.prefix)
	if err != nil {
		return nil, false, err
	}
	for n, s := range steps {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		if len(r.news) == limit || n == recentCommits {
			return r.news, true, nil
		}
		wanted := r.wanted()
		deltas := slices.DeleteFunc(slices.Clone(s.Deltas), func(d git.Delta) bool { return !wanted(d) })
		before := ""
		if len(s.Parents) > 0 {
			before = s.Parents[0]
		}
		olds, news, err := h.versions(state{rev: before}, state{rev: s.ID}, deltas)
		if err != nil {
			return nil, false, err
		}
		var changes []Change
		for _, p := range pair(olds, news) {
			if c, ok := differ(p.old, p.new); ok {
				changes = append(changes, c)
			}
		}
		sortChanges(changes)
		r.take(changes, s)
	}
	return r.news, len(r.news) == limit, nil
}

// recent collects news.
type recent struct {
	h          *history
	limit      int
	news       []News
	paths, ids map[string]bool // of which something newer was told
}

// wanted chooses the files of one state that may be news, no more than are needed.
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

// take notes the changes of a step that nothing newer was told of.
func (r *recent) take(changes []Change, s git.Step) {
	for _, c := range changes {
		known := r.ids[c.ID] || c.OldID != "" && r.ids[c.OldID]
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

// InWords says in a line what changed, by section.
func (n News) InWords() string { return n.inWords() }
