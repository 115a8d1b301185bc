package history

import (
	"cmp"
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Overlap is a section that this branch and another one, or another work tree, both changed.
type Overlap struct {
	Branch   string   `json:"branch"`             // as git shows it; for a work tree, the branch checked out there
	Worktree string   `json:"worktree,omitempty"` // the name of its folder, for an uncommitted change there
	Date     string   `json:"date,omitempty"`     // of the branch's last commit
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	File     string   `json:"file"`
	Section  string   `json:"section"`
	Line     int      `json:"line"`     // of the section in this branch's file, 1 when the section is missing
	Items    []string `json:"items"`    // the items that both changed, before the change
	Conflict bool     `json:"conflict"` // merging the two ends in a conflict here
}

// Overlaps finds the branches and work trees that change the same sections as this branch since its merge base with the main branch,
// uncommitted changes included. Without a main branch there are none. The fault is Unavailable without git.
func Overlaps(ctx context.Context, st *store.Store) ([]Overlap, error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return nil, err
	}
	defer h.close()
	p := PullRequest{base: h.base()}
	if p.Head, err = h.repo.Head(ctx); err != nil || p.Head == "" {
		return nil, err
	}
	base := ""
	for _, name := range git.DefaultBranches {
		if base, err = h.repo.Resolve(ctx, name); err == nil {
			break
		}
		if !fault.Is(err, fault.NotFound) {
			return nil, err
		}
	}
	if base == "" {
		return nil, nil
	}
	if p.From, err = h.repo.MergeBase(ctx, base, p.Head); err != nil || p.From == "" {
		return nil, err
	}
	if p.Branch, err = h.branch(); err != nil {
		return nil, err
	}
	c, err := h.compare(state{rev: p.From}, state{disk: true})
	if err != nil {
		return nil, err
	}
	p.Records = c.Records
	err = h.overlaps(&p, base, state{disk: true})
	return p.Overlaps, err
}

// overlaps finds the branches and work trees that change the same sections as the branch, whose own state is own.
func (h *history) overlaps(p *PullRequest, base string, own state) error {
	if len(p.Records) == 0 {
		return nil
	}
	branches, more, err := h.openBranches(p, base)
	if err != nil {
		return err
	}
	p.Unread = more
	pairs := &pairs{history: h, p: p, own: own, since: map[string][]Change{p.From: p.Records}}
	for _, b := range branches {
		from, err := h.repo.MergeBase(h.ctx, base, b.Commit)
		if err != nil {
			return err
		}
		if from == "" {
			continue // an unrelated history, or the clone is too shallow
		}
		about := Overlap{Branch: b.Name(), Date: b.Date}
		theirs, err := pairs.theirs(from, b.Commit, p.Records)
		if err == nil {
			err = pairs.keep(sharedSections(p.Records, theirs, about), b.Commit, func(since string, mine []Change) ([]Change, error) {
				if since == from {
					return theirs, nil
				}
				return pairs.theirs(since, b.Commit, mine)
			}, about)
		}
		if err != nil && !fault.Is(err, fault.NotFound) { // the clone lacks its files
			return err
		}
	}
	return h.worktrees(pairs)
}

// pairs compares the branch with each other branch from the merge bases of those two. A change that both got from a third branch, or
// one from the other, is no overlap.
type pairs struct {
	*history
	p     *PullRequest
	own   state               // of the branch
	since map[string][]Change // the changes of the branch, by the commit they count from
}

// theirs are the changes of another branch in files that mine changes as well, or that are new: a new file may be the same record
// under another name.
func (h *pairs) theirs(from, to string, mine []Change) ([]Change, error) {
	files := filesOf(mine)
	c, err := h.compareSome(state{rev: from}, state{rev: to}, func(d git.Delta) bool {
		return d.Old[0] == "" || files[strings.TrimPrefix(d.Path, h.prefix+"/")]
	})
	return c.Records, err
}

// keep adds the overlaps with another commit that exist from each merge base of the two commits as well.
func (h *pairs) keep(found []Overlap, commit string, theirs func(since string, mine []Change) ([]Change, error), about Overlap) error {
	if len(found) == 0 {
		return nil
	}
	bases, err := h.repo.MergeBases(h.ctx, h.p.Head, commit)
	if err != nil || len(bases) == 0 {
		return err
	}
	for _, base := range bases {
		mine, ok := h.since[base]
		if !ok {
			c, err := h.compare(state{rev: base}, h.own)
			if err != nil {
				return err
			}
			mine = c.Records
			h.since[base] = mine
		}
		changed, err := theirs(base, mine)
		if err != nil {
			return err
		}
		var kept []Overlap
		for _, o := range sharedSections(mine, changed, about) {
			i := slices.IndexFunc(found, func(f Overlap) bool { return f.ID == o.ID && f.Section == o.Section })
			if i >= 0 {
				o.Conflict = o.Conflict && (base == bases[0] || found[i].Conflict)
				kept = append(kept, o)
			}
		}
		found = kept
	}
	h.p.Overlaps = append(h.p.Overlaps, found...)
	return nil
}

// filesOf are the old and new files of changes, relative to .sdd.
func filesOf(changes []Change) map[string]bool {
	all := map[string]bool{}
	for _, c := range changes {
		for _, v := range []*version{c.old, c.new} {
			if v != nil {
				all[v.path] = true
			}
		}
	}
	return all
}

// worktrees finds the overlaps with uncommitted changes in the other work trees of the repository.
func (h *history) worktrees(pairs *pairs) error {
	p := pairs.p
	trees, err := h.repo.Worktrees(h.ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.Bare || w.Head == "" || git.SameFile(w.Path, h.repo.Top) {
			continue
		}
		st, err := store.Open(store.Options{Dir: filepath.Join(w.Path, filepath.FromSlash(p.base))})
		if err != nil {
			continue // its folder is gone
		}
		var theirs []Change
		there, err := openHistory(h.ctx, st)
		if err == nil {
			theirs, err = there.dirty()
			there.close()
		}
		st.Close()
		if err != nil {
			continue // a work tree that cannot be read gives no warning
		}
		about := Overlap{Branch: strings.TrimPrefix(w.Branch, "refs/heads/"), Worktree: filepath.Base(w.Path)}
		same := func(string, []Change) ([]Change, error) { return theirs, nil }
		if err := pairs.keep(sharedSections(p.Records, theirs, about), w.Head, same, about); err != nil {
			return err
		}
	}
	return h.ctx.Err()
}

// sharedSections lists the sections that mine and theirs both change. An equal change on both sides is no overlap.
func sharedSections(mine, theirs []Change, about Overlap) (all []Overlap) {
	for _, m := range mine {
		for _, t := range theirs {
			if m.sameRecord(t) {
				all = append(all, m.overlaps(t, about)...)
			}
		}
	}
	return all
}

// sameRecord reports whether two changes are of one record, by any of its identities or its old file.
func (c Change) sameRecord(o Change) bool {
	for _, a := range []string{c.ID, c.OldID} {
		if a != "" && (a == o.ID || a == o.OldID) {
			return true
		}
	}
	return c.old != nil && o.old != nil && c.old.path == o.old.path
}

func (c Change) overlaps(o Change, about Overlap) []Overlap {
	about.ID, about.Title, about.File, about.Items = c.ID, c.Title, c.File, []string{}
	if c.Status == Removed || o.Status == Removed {
		if c.Status == o.Status || !c.MeaningChanged || !o.MeaningChanged {
			return nil
		}
		about.Line, about.Conflict = 1, true
		return []Overlap{about}
	}
	var all []Overlap
	clash := sync.OnceValue(func() []record.Conflict { return c.merge(o) })
	clashes := func(where ...string) bool {
		return slices.ContainsFunc(clash(), func(f record.Conflict) bool {
			return slices.ContainsFunc(where, func(w string) bool { return strings.EqualFold(w, f.Where) })
		})
	}
	keys := []string{frontMatter}
	for _, k := range c.Keys {
		if k.hasMeaning() && slices.ContainsFunc(o.Keys, func(t KeyChange) bool { return t.Key == k.Key && !reflect.DeepEqual(t.New, k.New) }) {
			about.Section, about.Line = frontMatter, c.keyLine(k.Key)
			about.Items = append(about.Items, k.Key+": "+value(k.Old))
			keys = append(keys, k.Key)
		}
	}
	if len(about.Items) > 0 {
		about.Conflict = clashes(keys...)
		all = append(all, about)
	}
	for _, s := range c.Sections {
		k := slices.IndexFunc(o.Sections, func(t SectionChange) bool { return t.MeaningChanged && strings.EqualFold(t.Name, s.Name) })
		if k < 0 || !s.MeaningChanged {
			continue
		}
		mine, theirs := distinct(s.Items, o.Sections[k].Items)
		if len(mine) == 0 || len(theirs) == 0 {
			continue
		}
		about.Section, about.Line, about.Items = s.Name, c.sectionLine(s.Name), []string{}
		for _, i := range mine {
			if i.Old != "" && slices.ContainsFunc(theirs, func(j ItemChange) bool { return j.Old == i.Old }) {
				about.Items = append(about.Items, record.OneLine(i.Old))
			}
		}
		known, _ := record.SectionNamed(c.new.rec.Kind, s.Name)
		about.Conflict = clashes(cmp.Or(s.Was, s.Name), s.Name, o.Sections[k].Name, cmp.Or(known.Under, s.Name))
		all = append(all, about)
	}
	return all
}

// merge merges the two versions of a record, and returns the conflicts.
func (c Change) merge(o Change) []record.Conflict {
	var base []byte
	if c.old != nil {
		base = c.old.src
	}
	return record.Merge(c.new.rec.Kind, base, c.new.src, o.new.src, markdown.MergeLabels{}).Conflicts
}

// distinct returns the changes of each list that the other does not have.
func distinct(a, b []ItemChange) (onlyA, onlyB []ItemChange) {
	without := func(these, those []ItemChange) []ItemChange {
		return slices.DeleteFunc(slices.Clone(these), func(i ItemChange) bool {
			return slices.ContainsFunc(those, func(j ItemChange) bool { return i.Kind == j.Kind && i.Old == j.Old && i.New == j.New })
		})
	}
	return without(a, b), without(b, a)
}
