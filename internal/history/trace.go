package history

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"

	"golang.org/x/sync/errgroup"
)

// Git follows one file name, and loses a record that was renamed and rewritten at once, or renamed on one branch and changed on another.
// So one pass over the commits that changed any record follows it by its identity, through new names and titles.

// trace is the history of one record.
type trace struct {
	h     *history
	steps []git.Step
	ids   map[string]bool     // the identities that the record had
	paths []string            // the files that it had, relative to .sdd; grows while follow reads them
	found map[int]*transition // by step
	blobs map[string]*version
}

// transition is the record before and after one commit.
type transition struct {
	olds []*version // by parent, nil where the parent has no record under that name
	now  *version   // nil when it is gone
}

// newTrace returns a trace without a record, which has read the commits up to rev that changed records.
func (h *history) newTrace(rev string) *trace {
	if h.steps == nil && rev != "" {
		h.steps = fault.Must(h.repo.Steps(h.ctx, rev, 0, h.folder()))
	}
	return &trace{h: h, steps: h.steps, ids: map[string]bool{}, found: map[int]*transition{}, blobs: map[string]*version{}}
}

// follow finds the history of the record that has, or had, that id and file.
func (t *trace) follow(id, path string) {
	t.ids[id] = true
	t.paths = record.Union(t.paths, path)
	for i := 0; i < len(t.paths); i++ {
		file := t.h.file(t.paths[i])
		for n := range t.steps {
			for k := range t.steps[n].Deltas {
				if d := &t.steps[n].Deltas[k]; d.Path == file {
					t.h.goOn()
					t.visit(n, d, t.paths[i])
				}
			}
		}
	}
}

// visit adds one change of a file that the record had, if the file contained the record then.
func (t *trace) visit(n int, d *git.Delta, path string) {
	step := &t.steps[n]
	now := t.version(step.ID, path, d.New, d.Gone)
	olds := make([]*version, len(d.Old))
	for i, id := range d.Old {
		olds[i] = t.version(parent(step, i), path, id, id == "")
	}
	isRecord := func(v *version) bool { return v != nil && t.ids[v.rec.ID] }
	if !isRecord(now) {
		now = nil
	}
	any := now != nil
	for i, o := range olds {
		if now != nil && o != nil && mayBeSame(o, now) { // a new title may have changed the identity
			t.ids[o.rec.ID] = true
		}
		if !isRecord(o) {
			olds[i] = nil
		}
		any = any || olds[i] != nil
	}
	if !any {
		return
	}
	if len(olds) == 1 && (now == nil || olds[0] == nil) {
		olds[0], now = t.renamed(n, path, olds[0], now)
	}
	e := t.found[n]
	if e == nil {
		t.found[n] = &transition{olds, now}
		return
	}
	for i, o := range olds {
		e.olds[i] = cmp.Or(e.olds[i], o)
	}
	e.now = cmp.Or(e.now, now)
}

// renamed looks for the other name of a record whose file a step added or removed.
func (t *trace) renamed(step int, path string, old, now *version) (*version, *version) {
	s := &t.steps[step]
	var added, removed []*version
	for _, d := range s.Deltas {
		other, ok := t.h.recordPath(d.Path)
		switch {
		case !ok:
		case d.Gone && (now != nil || other == path):
			removed = append(removed, t.version(parent(s, 0), other, d.Old[0], false))
		case d.Old[0] == "" && (old != nil || other == path):
			added = append(added, t.version(s.ID, other, d.New, false))
		}
	}
	for _, c := range pair(removed, added) {
		if c.old != nil && c.new != nil && (c.new.path == path || c.old.path == path) {
			t.ids[c.old.rec.ID], t.ids[c.new.rec.ID] = true, true
			t.paths = record.Union(t.paths, c.old.path, c.new.path)
			return c.old, c.new
		}
	}
	return old, now
}

// version reads a record of a commit once.
func (t *trace) version(commit, path, id string, gone bool) *version {
	if gone {
		return nil
	}
	key := id + path
	v := t.blobs[key]
	if v == nil {
		v = t.h.version(state{rev: commit}, path, id)
		t.blobs[key] = v
	}
	return v
}

func parent(s *git.Step, i int) string {
	if i < len(s.Parents) {
		return s.Parents[i]
	}
	return ""
}

// commits returns the latest commits that changed the record, at most limit (0 is all), without merges that only combined their parents.
func (t *trace) commits(limit int) []LogStep {
	out := []LogStep{}
	steps := slices.Sorted(maps.Keys(t.found))
	for some := range slices.Chunk(steps, max(1, cmp.Or(limit, len(steps)))) {
		changes, differs := make([]Change, len(some)), make([]bool, len(some))
		var work errgroup.Group
		work.SetLimit(runtime.GOMAXPROCS(0))
		for i, n := range some {
			if p := t.found[n]; len(p.olds) == 1 {
				work.Go(func() error {
					changes[i], differs[i] = differ(p.olds[0], p.now)
					return nil
				})
			} else {
				changes[i], differs[i] = t.merged(n)
			}
		}
		_ = work.Wait()
		for i, n := range some {
			if s, c := t.steps[n], changes[i]; differs[i] {
				out = append(out, LogStep{
					Commit: s.ID, Author: s.Author, Date: s.Date, Subject: s.Subject, File: c.File, OldFile: c.OldFile,
					Status: c.Status, Keys: c.Keys, Sections: c.Sections, MeaningChanged: c.MeaningChanged, Summary: c.InWords(),
				})
			}
		}
		if limit > 0 && len(out) >= limit {
			return out[:limit]
		}
	}
	return out
}

// merged is the change that a merge made itself: the differences from every one of its parents.
func (t *trace) merged(step int) (c Change, ok bool) {
	now := t.found[step].now
	for _, o := range t.before(step) {
		if o == nil {
			continue // the record came from the other side
		}
		that, differs := differ(o, now)
		switch {
		case !differs:
			return c, false
		case c.Status == "":
			c, ok = that, true
		default:
			c = c.common(that)
			ok = c.MeaningChanged
		}
	}
	return c, ok
}

// before returns the record in each parent of a commit; in a merge some may have it under another name.
func (t *trace) before(step int) []*version {
	olds := t.found[step].olds
	for i, o := range olds {
		if o == nil && len(olds) > 1 {
			olds[i] = t.underOtherName(parent(&t.steps[step], i))
		}
	}
	return olds
}

// underOtherName finds the record in a parent of a merge where it has another file.
func (t *trace) underOtherName(commit string) *version {
	for _, path := range t.paths {
		src, err := t.h.objects.Read(commit + ":" + t.h.file(path))
		if err != nil {
			continue
		}
		if v := newVersion(path, src, t.h.project(state{rev: commit})); t.ids[v.rec.ID] {
			return v
		}
	}
	return nil
}

// common keeps the differences of c that other has as well.
func (c Change) common(other Change) Change {
	c.Keys = slices.DeleteFunc(c.Keys, func(k KeyChange) bool {
		return !slices.ContainsFunc(other.Keys, func(o KeyChange) bool { return o.Key == k.Key })
	})
	type outcome struct {
		section, text string
		removed       bool
	}
	outcomeOf := func(section string, i ItemChange) outcome {
		if i.Kind == "removed" {
			return outcome{section, i.Old, true}
		}
		return outcome{section, i.New, false}
	}
	both := map[outcome]bool{}
	for _, s := range other.Sections {
		for _, i := range s.Items {
			both[outcomeOf(s.Name, i)] = true
		}
	}
	for n := range c.Sections {
		s := &c.Sections[n]
		s.Items = slices.DeleteFunc(s.Items, func(i ItemChange) bool { return !both[outcomeOf(s.Name, i)] })
	}
	c.Sections = slices.DeleteFunc(c.Sections, func(s SectionChange) bool { return len(s.Items) == 0 || !s.MeaningChanged })
	c.MeaningChanged = c.Status == Removed || len(c.Sections) > 0 || slices.ContainsFunc(c.Keys, KeyChange.hasMeaning)
	return c
}

// hasSection reports whether any committed version of the record has the section.
func (t *trace) hasSection(name sectionName) bool {
	for _, v := range t.blobs {
		if t.ids[v.rec.ID] && v.hasSection(name) {
			return true
		}
	}
	return false
}

// sectionName is a section by the heading that the caller gave, and by the heading of the known section that it names.
type sectionName struct{ asked, known string }

func sectionNamed(path, asked string) sectionName {
	kind, _ := record.KindOf(parsedAs(path))
	known, _ := record.SectionNamed(kind, asked)
	return sectionName{strings.TrimSpace(asked), known.Name}
}

func (n sectionName) is(heading string) bool {
	heading = strings.TrimSpace(heading)
	return strings.EqualFold(heading, n.asked) || n.known != "" && strings.EqualFold(heading, n.known)
}

func (v *version) hasSection(name sectionName) bool {
	return slices.ContainsFunc(v.rec.Sections, func(s record.Section) bool { return name.is(s.Name) })
}
