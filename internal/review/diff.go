package review

import (
	"context"
	"slices"
	"strings"

	"sdd/internal/git"
	"sdd/internal/store"
)

// A comparison of records is deterministic: the same two states give the same report, byte for byte. Records are
// paired by identity, so that a file may be renamed by hand; what of them differs is told by key,
// section and item, and separately whether the meaning differs or only the form.

// Changes is what differs between two states of a store's records.
type Changes struct {
	From    string   `json:"from"` // the commit, "" when there is none yet
	To      string   `json:"to"`   // the commit, "" for the files on disk
	Records []Change `json:"records"`

	base string // the store's root below the top of the work tree
}

// Status says what became of a record.
type Status string

const (
	Added   Status = "added"
	Removed Status = "removed"
	Changed Status = "changed"
	Renamed Status = "renamed" // and perhaps changed, too
)

// Change is a record that differs.
type Change struct {
	ID             string          `json:"id"`
	Type           string          `json:"type"`
	Title          string          `json:"title"`
	File           string          `json:"file"` // relative to the store's root; of a removed record where it was
	OldFile        string          `json:"old_file,omitempty"`
	OldID          string          `json:"old_id,omitempty"` // when another title made another identity of it
	Status         Status          `json:"status"`
	Keys           []KeyChange     `json:"keys"`
	Sections       []SectionChange `json:"sections"`
	MeaningChanged bool            `json:"meaning_changed"`
	Problems       []string        `json:"problems,omitempty"` // what keeps the newer file from being read in full

	old, new *version
}

// KeyChange is a front-matter key that differs; null stands for one that is not there.
type KeyChange struct {
	Key string `json:"key"`
	Old any    `json:"old"`
	New any    `json:"new"`
}

// SectionChange is a section that differs. The text before the first section has no name.
type SectionChange struct {
	Name           string       `json:"name"`
	Was            string       `json:"was,omitempty"` // its heading before, when that was reworded
	Kind           string       `json:"kind"`          // what became of the section itself: added, removed, moved, reworded, else changed
	Line           int          `json:"line"`          // of its heading in the newer file, of a removed one in the older
	Items          []ItemChange `json:"items"`
	MeaningChanged bool         `json:"meaning_changed"`
}

// ItemChange is a list item, paragraph or other block that differs, as it reads: without marker and line breaks, code and
// tables by lines. Line is where it stands in the newer file, of a removed one where it stood in the older.
type ItemChange struct {
	Kind string `json:"kind"` // added, removed, changed, moved or reworded
	Old  string `json:"old"`
	New  string `json:"new"`
	From string `json:"from,omitempty"` // the section that it comes from, if that is another one
	Line int    `json:"line"`
}

// Range says which two states are compared.
type Range struct {
	From  string // a commit; "" is the one that is checked out
	To    string // a commit; "" is the files on disk, those included that git does not know yet
	Since bool   // from where From and To parted, instead of from From
}

// Diff compares the records of two states of the store, all of them or those that only names: by id, topic
// key, title, slug, file or folder. Without differences the report is empty. Personal records are never in it,
// because git knows nothing of them.
func Diff(ctx context.Context, st *store.Store, r Range, only []string) (Changes, error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return Changes{}, err
	}
	defer h.close()
	from, to, err := h.ends(r)
	if err != nil {
		return Changes{}, err
	}
	c, err := h.compare(from, to)
	if err != nil {
		return Changes{}, err
	}
	c.Records = limited(c.Records, only)
	return c, nil
}

// ends finds the two states that r names.
func (h *history) ends(r Range) (from, to state, err error) {
	from, to = state{rev: r.From}, state{rev: r.To, disk: r.To == ""}
	if from.rev == "" {
		from.rev, err = h.repo.Head(h.ctx)
	} else {
		from.rev, err = h.repo.Resolve(h.ctx, r.From)
	}
	if err == nil && !to.disk {
		to.rev, err = h.repo.Resolve(h.ctx, r.To)
	}
	if err != nil || !r.Since {
		return from, to, err
	}
	other := to.rev
	if to.disk {
		other = "HEAD"
	}
	from.rev, err = h.parted(from.rev, other)
	return from, to, err
}

// compare returns the records that differ between two states.
func (h *history) compare(from, to state) (Changes, error) {
	return h.compareSome(from, to, nil)
}

// compareSome is compare for the files that some returns true for; nil is all.
func (h *history) compareSome(from, to state, some func(git.Delta) bool) (Changes, error) {
	c := Changes{From: from.rev, To: to.rev, Records: []Change{}, base: strings.TrimSuffix(h.prefix, store.Folder)}
	end := to.rev
	if to.disk {
		end = git.WorkTree
	}
	deltas, err := h.repo.Deltas(h.ctx, from.rev, end, h.prefix)
	if err != nil {
		return c, err
	}
	if some != nil {
		deltas = slices.DeleteFunc(deltas, func(d git.Delta) bool { return !some(d) })
	}
	olds, news, err := h.versions(from, to, deltas)
	if err != nil {
		return c, err
	}
	for _, p := range pair(olds, news) {
		if change, ok := differ(p.old, p.new); ok {
			c.Records = append(c.Records, change)
		}
	}
	sortChanges(c.Records)
	return c, nil
}
