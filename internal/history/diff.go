package history

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// A comparison is deterministic: the same two states give the same report, byte for byte.

// Changes are the differences between two states of a store's records.
type Changes struct {
	From    string   `json:"from"` // the commit, "" when there is none yet
	To      string   `json:"to"`   // the commit, "" for the files on disk
	Records []Change `json:"records"`

	base string // the store's root below the top of the work tree
}

// Status is what happened to a record.
type Status string

const (
	Added   Status = "added"
	Removed Status = "removed"
	Changed Status = "changed"
	Renamed Status = "renamed" // and perhaps changed
)

// Change is a record that differs.
type Change struct {
	ID             string          `json:"id"`
	Type           string          `json:"type"`
	Title          string          `json:"title"`
	File           string          `json:"file"` // relative to the store's root; for a removed record, its last file
	OldFile        string          `json:"old_file,omitempty"`
	OldID          string          `json:"old_id,omitempty"` // when a new title changed the id
	Status         Status          `json:"status"`
	Keys           []KeyChange     `json:"keys"`
	Sections       []SectionChange `json:"sections"`
	MeaningChanged bool            `json:"meaning_changed"`
	Problems       []string        `json:"problems,omitempty"` // the defects of the newer file

	old, new *version
}

// KeyChange is a front-matter key that differs; null means that the key is missing.
type KeyChange struct {
	Key string `json:"key"`
	Old any    `json:"old"`
	New any    `json:"new"`
}

// SectionChange is a section that differs: Kind is changed when only its items do, lines count in the files, items end without a line end.
type (
	SectionChange = markdown.SectionDiff
	ItemChange    = markdown.ItemDiff
)

// Range is the two states to compare.
type Range struct {
	From  string // a commit; "" is the one that is checked out
	To    string // a commit; "" is the files on disk, untracked ones included
	Since bool   // compare from the merge base of From and To, instead of from From
}

// Diff compares the records of two states, all or those that only names by id, topic key, title, slug, file or folder; never personal ones.
func Diff(ctx context.Context, st *store.Store, r Range, only []string) (c Changes, err error) {
	err = inHistory(ctx, st, func(h *history) {
		from, to := h.ends(r)
		c = h.compare(from, to, nil)
		c.Records = limited(c.Records, only)
	})
	return c, err
}

// ends finds the two states that r names.
func (h *history) ends(r Range) (from, to state) {
	to = state{disk: r.To == ""}
	if r.From == "" {
		from.rev = h.head()
	} else {
		from.rev = fault.Must(h.repo.Resolve(h.ctx, r.From))
	}
	if !to.disk {
		to.rev = fault.Must(h.repo.Resolve(h.ctx, r.To))
	}
	if r.Since {
		from.rev = h.mergeBase(from.rev, cmp.Or(to.rev, "HEAD"))
	}
	return from, to
}

// compare returns the records that differ between two states, in the files that some accepts; nil accepts all.
func (h *history) compare(from, to state, some func(git.Delta) bool) Changes {
	end := to.rev
	if to.disk {
		end = git.WorkTree
	}
	deltas := fault.Must(h.repo.Deltas(h.ctx, from.rev, end, h.folder()))
	if some != nil {
		deltas = slices.DeleteFunc(deltas, func(d git.Delta) bool { return !some(d) })
	}
	return Changes{From: from.rev, To: to.rev, Records: h.changes(from, to, deltas), base: h.base()}
}

// changes returns the records that differ in the files of deltas, sorted by file.
func (h *history) changes(from, to state, deltas []git.Delta) []Change {
	all := []Change{}
	for _, p := range pair(h.versions(from, to, deltas)) {
		if change, ok := differ(p.old, p.new); ok {
			all = append(all, change)
		}
	}
	slices.SortFunc(all, func(a, b Change) int {
		return cmp.Or(strings.Compare(a.File, b.File), strings.Compare(a.OldFile, b.OldFile), strings.Compare(a.ID, b.ID),
			cmp.Compare(a.Status, b.Status))
	})
	return all
}

// limited keeps the changes of the records that have one of the names, or are in one of the folders, in either state.
func limited(cs []Change, names []string) []Change {
	if len(names) == 0 {
		return cs
	}
	return slices.DeleteFunc(cs, func(c Change) bool {
		return !slices.ContainsFunc(names, func(name string) bool {
			return c.old != nil && c.old.matches(name) || c.new != nil && c.new.matches(name)
		})
	})
}

// matches reports whether the record has that name, or is in that folder.
func (v *version) matches(name string) bool {
	path := recordName(name)
	return path == "" || path == "." || path == store.Folder || strings.HasPrefix(v.path, path+"/") || v.hasName(name)
}

// hasName reports whether name is the id, topic key, title, slug or file of the record.
func (v *version) hasName(name string) bool {
	r, path := &v.rec, recordName(name)
	if path == v.path || path+".md" == v.path {
		return true
	}
	name = strings.TrimSpace(name)
	return strings.EqualFold(name, r.ID) || r.TopicKey != "" && strings.EqualFold(name, r.TopicKey) ||
		strings.EqualFold(name, r.Title) || name != "" && record.Slug(name) == r.Slug
}

// recordName is a name as a path relative to .sdd.
func recordName(name string) string {
	name = strings.TrimPrefix(strings.TrimSpace(name), "./")
	return strings.TrimSuffix(strings.TrimPrefix(name, store.Folder+"/"), "/")
}
