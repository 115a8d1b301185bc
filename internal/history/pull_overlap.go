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
	"sdd/internal/frontmatter"
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

	Rival string `json:"rival,omitempty"` // the decision of the base that supersedes what this one supersedes, which is the one item
}

// Overlaps finds the branches and work trees that change the same sections as this branch since its merge base with the main branch,
// uncommitted changes included. Without a main branch there are none. The fault is Unavailable without git.
func Overlaps(ctx context.Context, st *store.Store) (all []Overlap, err error) {
	err = inHistory(ctx, st, func(h *history) {
		p := PullRequest{base: h.base(), Head: h.head()}
		base := h.mainBranch()
		if p.Head == "" || base == "" {
			return
		}
		if p.From = fault.Must(h.repo.MergeBase(ctx, base, p.Head)); p.From == "" {
			return
		}
		p.Branch = h.branch()
		p.Records = h.compare(state{rev: p.From}, state{disk: true}, nil).Records
		h.overlaps(&p, base, state{disk: true})
		all = p.Overlaps
	})
	return all, err
}

// mainBranch is the commit of the main branch, "" without one.
func (h *history) mainBranch() string {
	for _, name := range git.DefaultBranches {
		commit, err := h.repo.Resolve(h.ctx, name)
		if !fault.Is(err, fault.NotFound) {
			return fault.Must(commit, err)
		}
	}
	return ""
}

// overlaps finds the branches and work trees that change the same sections as the branch, whose own state is own.
func (h *history) overlaps(p *PullRequest, base string, own state) {
	if len(p.Records) == 0 {
		return
	}
	var branches []git.Branch
	branches, p.Unread = h.openBranches(p, base)
	pairs := &pairs{history: h, p: p, own: own, since: map[string][]Change{p.From: p.Records}}
	for _, b := range branches {
		from := fault.Must(h.repo.MergeBase(h.ctx, base, b.Commit))
		if from == "" {
			continue // an unrelated history, or the clone is too shallow
		}
		err := func() (err error) {
			defer fault.Caught(&err)
			theirs := pairs.theirs(from, b.Commit, p.Records)
			pairs.keep(theirs, b.Commit, func(since string, mine []Change) []Change {
				if since == from {
					return theirs
				}
				return pairs.theirs(since, b.Commit, mine)
			}, Overlap{Branch: b.Name(), Date: b.Date})
			return nil
		}()
		if !fault.Is(err, fault.NotFound) { // the clone lacks its files
			fault.Check(err)
		}
	}
	h.worktrees(pairs)
}

// withBase finds what the base has changed as well since the branch left it, and rivals of the branch's decisions there.
func (h *history) withBase(p *PullRequest, base string) {
	theirs := h.compare(state{rev: p.From}, state{rev: base}, nil).Records
	about := Overlap{Branch: p.Base}
	p.Overlaps = append(p.Overlaps, sharedSections(p.Records, theirs, about)...)
	rivals := map[string][]Change{} // by what they supersede
	for _, t := range theirs {
		for _, old := range t.supersedes() {
			rivals[old] = append(rivals[old], t)
		}
	}
	for _, m := range p.Records {
		for _, old := range m.supersedes() {
			for _, t := range rivals[old] {
				if !m.sameRecord(t) {
					about.ID, about.Title, about.File, about.Line = m.ID, m.Title, m.File, m.new.keyLine(supersedesKey)
					about.Section, about.Items, about.Rival = frontMatter, []string{old}, t.ID
					p.Overlaps = append(p.Overlaps, about)
				}
			}
		}
	}
}

const supersedesKey = "supersedes"

// supersedes are the ids of the decisions that a changed one in force supersedes.
func (c Change) supersedes() (ids []string) {
	if c.new == nil || c.new.rec.Kind != record.Decision || record.Gone(c.new.rec.Status) {
		return nil
	}
	doc, _ := frontmatter.Parse(c.new.src)
	for _, id := range doc.Strings(supersedesKey) {
		ids = append(ids, record.DecisionID(record.Slug(strings.TrimPrefix(id, "decision/")), record.Project))
	}
	return ids
}

// pairs compares the branch with others from their merge bases: a change that one got from the other or both from a third is no overlap.
type pairs struct {
	*history
	p     *PullRequest
	own   state               // of the branch
	since map[string][]Change // the changes of the branch, by the commit they count from
}

// theirs are the changes of another branch in files that mine changes too, and in new files, which may have the same record.
func (h *pairs) theirs(from, to string, mine []Change) []Change {
	files := map[string]bool{}
	for _, c := range mine {
		for _, v := range []*version{c.old, c.new} {
			if v != nil {
				files[v.path] = true
			}
		}
	}
	return h.compare(state{rev: from}, state{rev: to}, func(d git.Delta) bool {
		return d.Old[0] == "" || files[strings.TrimPrefix(d.Path, h.prefix+"/")]
	}).Records
}

// keep adds the overlaps with the changes of another commit that exist from each merge base of the two commits as well.
func (h *pairs) keep(changed []Change, commit string, theirs func(since string, mine []Change) []Change, about Overlap) {
	found := sharedSections(h.p.Records, changed, about)
	if len(found) == 0 {
		return
	}
	bases := fault.Must(h.repo.MergeBases(h.ctx, h.p.Head, commit))
	if len(bases) == 0 {
		return
	}
	for _, base := range bases {
		mine, ok := h.since[base]
		if !ok {
			mine = h.compare(state{rev: base}, h.own, nil).Records
			h.since[base] = mine
		}
		var kept []Overlap
		for _, o := range sharedSections(mine, theirs(base, mine), about) {
			i := slices.IndexFunc(found, func(f Overlap) bool { return f.ID == o.ID && f.Section == o.Section })
			if i >= 0 {
				o.Conflict = o.Conflict && (base == bases[0] || found[i].Conflict)
				kept = append(kept, o)
			}
		}
		found = kept
	}
	h.p.Overlaps = append(h.p.Overlaps, found...)
}

// worktrees finds the overlaps with uncommitted changes in the other work trees of the repository.
func (h *history) worktrees(pairs *pairs) {
	p := pairs.p
	for _, w := range fault.Must(h.repo.Worktrees(h.ctx)) {
		if w.Bare || w.Head == "" || git.SameFile(w.Path, h.repo.Top) {
			continue
		}
		st, err := store.Open(store.Options{Dir: filepath.Join(w.Path, filepath.FromSlash(p.base))})
		if err != nil {
			continue // its folder is gone
		}
		var theirs []Change
		err = inHistory(h.ctx, st, func(there *history) { theirs = there.dirty() })
		st.Close()
		if err != nil {
			continue // a work tree that cannot be read gives no warning
		}
		about := Overlap{Branch: strings.TrimPrefix(w.Branch, "refs/heads/"), Worktree: filepath.Base(w.Path)}
		pairs.keep(theirs, w.Head, func(string, []Change) []Change { return theirs }, about)
	}
	h.goOn()
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
	clash := sync.OnceValue(func() []record.Conflict {
		var base []byte
		if c.old != nil {
			base = c.old.src
		}
		return record.Merge(c.new.rec.Kind, base, c.new.src, o.new.src, markdown.MergeLabels{}).Conflicts
	})
	clashes := func(where ...string) bool {
		return slices.ContainsFunc(clash(), func(f record.Conflict) bool {
			return slices.ContainsFunc(where, func(w string) bool { return strings.EqualFold(w, f.Where) })
		})
	}
	keys := []string{frontMatter}
	for _, k := range c.Keys {
		if k.hasMeaning() && slices.ContainsFunc(o.Keys, func(t KeyChange) bool { return t.Key == k.Key && !reflect.DeepEqual(t.New, k.New) }) {
			about.Section, about.Line = frontMatter, c.new.keyLine(k.Key)
			was := k.Key
			if k.Old != nil {
				was += ": " + value(k.Old)
			}
			about.Items = append(about.Items, was)
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

// distinct returns the changes of each list that the other does not have.
func distinct(a, b []ItemChange) (onlyA, onlyB []ItemChange) {
	without := func(these, those []ItemChange) []ItemChange {
		return slices.DeleteFunc(slices.Clone(these), func(i ItemChange) bool {
			return slices.ContainsFunc(those, func(j ItemChange) bool { return i.Kind == j.Kind && i.Old == j.Old && i.New == j.New })
		})
	}
	return without(a, b), without(b, a)
}
