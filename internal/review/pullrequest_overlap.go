package review

import (
	"context"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/store"
)

// Overlap is a section that this branch and another one, or what is not committed in another work tree, both changed.
type Overlap struct {
	Branch   string   `json:"branch"`             // as git shows it; of a work tree the branch that it is on
	Worktree string   `json:"worktree,omitempty"` // the name of its folder, when the change is not committed there
	Date     string   `json:"date,omitempty"`     // of the branch's last commit
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	File     string   `json:"file"`
	Section  string   `json:"section"`
	Line     int      `json:"line"`  // of the section in this branch's file, 1 when it has none
	Items    []string `json:"items"` // that both changed, as they were before
}

// mainBranches are the branches that others are merged into, where origin names none.
var mainBranches = []string{"refs/remotes/origin/HEAD", "refs/remotes/origin/main", "refs/remotes/origin/master", "refs/heads/main", "refs/heads/master"}

// Overlaps finds who else works on the sections that this branch changed since it parted from the main one, what is
// not committed included. Where there is no main branch there are none. The fault is Unavailable where there is no git.
func Overlaps(ctx context.Context, st *store.Store) ([]Overlap, error) {
	h, err := openHistory(ctx, st)
	if err != nil {
		return nil, err
	}
	defer h.close()
	p := PullRequest{base: strings.TrimSuffix(h.prefix, store.Folder)}
	if p.Head, err = h.repo.Head(ctx); err != nil || p.Head == "" {
		return nil, err
	}
	base := ""
	for _, name := range mainBranches {
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
	branch, err := h.repo.CurrentBranch(ctx)
	if err != nil {
		return nil, err
	}
	p.Branch = strings.TrimPrefix(branch, "refs/heads/")
	c, err := h.compare(state{rev: p.From}, state{disk: true})
	if err != nil {
		return nil, err
	}
	p.Records = c.Records
	err = h.overlaps(&p, base)
	return p.Overlaps, err
}

// overlaps finds who else works on the sections that the branch changed.
func (h *history) overlaps(p *PullRequest, base string) error {
	if len(p.Records) == 0 {
		return nil
	}
	branches, more, err := h.openBranches(p, base)
	if err != nil {
		return err
	}
	p.Unread = more
	mine := p.files()
	concerned := func(d git.Delta) bool { // a file that came may be one of them under another name
		return d.Old[0] == "" || mine[strings.TrimPrefix(d.Path, h.prefix+"/")]
	}
	for _, b := range branches {
		from, err := h.repo.MergeBase(h.ctx, base, b.Commit)
		if err != nil {
			return err
		}
		if from == "" {
			continue // a history of its own, or the clone is too shallow to know
		}
		theirs, err := h.compareSome(state{rev: from}, state{rev: b.Commit}, concerned)
		if fault.Is(err, fault.NotFound) {
			continue // the clone has not got its files
		}
		if err != nil {
			return err
		}
		p.meet(theirs.Records, Overlap{Branch: b.Name(), Date: b.Date})
	}
	return h.worktrees(p)
}

// files are the files that the records of the branch have and had, relative to .sdd.
func (p *PullRequest) files() map[string]bool {
	all := map[string]bool{}
	for _, c := range p.Records {
		for _, v := range []*version{c.old, c.new} {
			if v != nil {
				all[v.path] = true
			}
		}
	}
	return all
}

// worktrees compares with what is not committed in the other work trees of the repository.
func (h *history) worktrees(p *PullRequest) error {
	trees, err := h.repo.Worktrees(h.ctx)
	if err != nil {
		return err
	}
	for _, w := range trees {
		if w.Bare || w.Head == "" || sameFolder(w.Path, h.repo.Top) {
			continue
		}
		st, err := store.Open(store.Options{Dir: filepath.Join(w.Path, filepath.FromSlash(p.base))})
		if err != nil {
			continue // its folder is gone
		}
		theirs, err := uncommitted(h, st)
		st.Close()
		if err != nil {
			continue // a work tree that cannot be read is none to warn of
		}
		p.meet(theirs, Overlap{Branch: strings.TrimPrefix(w.Branch, "refs/heads/"), Worktree: filepath.Base(w.Path)})
	}
	return h.ctx.Err()
}

// uncommitted is what differs in another work tree from the commit that is checked out there.
func uncommitted(h *history, st *store.Store) ([]Change, error) {
	there, err := openHistory(h.ctx, st)
	if err != nil {
		return nil, err
	}
	defer there.close()
	head, err := there.repo.Head(h.ctx)
	if err != nil {
		return nil, err
	}
	c, err := there.compare(state{rev: head}, state{disk: true})
	return c.Records, err
}

func sameFolder(a, b string) bool {
	if x, err := filepath.EvalSymlinks(a); err == nil {
		a = x
	}
	if x, err := filepath.EvalSymlinks(b); err == nil {
		b = x
	}
	return a == b
}

// meet notes the sections that theirs and the branch both changed. The same change on both sides is no overlap.
func (p *PullRequest) meet(theirs []Change, about Overlap) {
	for _, mine := range p.Records {
		for _, t := range theirs {
			if mine.sameRecord(t) {
				p.Overlaps = append(p.Overlaps, mine.meet(t, about)...)
			}
		}
	}
}

// sameRecord reports whether two changes are of one record, by any identity or file that it had.
func (c Change) sameRecord(o Change) bool {
	for _, a := range []string{c.ID, c.OldID} {
		if a != "" && (a == o.ID || a == o.OldID) {
			return true
		}
	}
	return c.old != nil && o.old != nil && c.old.path == o.old.path
}

func (c Change) meet(o Change, about Overlap) []Overlap {
	about.ID, about.Title, about.File, about.Items = c.ID, c.Title, c.File, []string{}
	if c.Status == Removed || o.Status == Removed {
		if c.Status == o.Status || !c.MeaningChanged || !o.MeaningChanged {
			return nil
		}
		about.Line = 1
		return []Overlap{about}
	}
	var all []Overlap
	for _, k := range c.Keys {
		if !isBookkeeping(k.Key) && slices.ContainsFunc(o.Keys, func(t KeyChange) bool { return t.Key == k.Key && !reflect.DeepEqual(t.New, k.New) }) {
			about.Section, about.Line = frontMatter, c.keyLine(k.Key)
			about.Items = append(about.Items, k.Key+": "+value(k.Old))
		}
	}
	if len(about.Items) > 0 {
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
				about.Items = append(about.Items, oneLine(i.Old))
			}
		}
		all = append(all, about)
	}
	return all
}

// distinct leaves out of two lists what is the same change in both.
func distinct(a, b []ItemChange) (onlyA, onlyB []ItemChange) {
	without := func(these, those []ItemChange) []ItemChange {
		return slices.DeleteFunc(slices.Clone(these), func(i ItemChange) bool {
			return slices.ContainsFunc(those, func(j ItemChange) bool { return i.Kind == j.Kind && i.Old == j.Old && i.New == j.New })
		})
	}
	return without(a, b), without(b, a)
}
