package review

import (
	"cmp"
	"maps"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"sdd/internal/config"
	"sdd/internal/git"
	"sdd/internal/record"
)

// The history of a record is found in one pass over the commits that changed any record. Git follows one file
// name, and loses a record where it was renamed and rewritten at once, or renamed on one branch and changed on
// another; here a record is followed by its identity, through other names and other titles.

// trace is the history of one record.
type trace struct {
	h     *history
	steps []git.Step
	at    map[string][]spot // where a path changed, the newest first
	ids   map[string]bool   // the identities that the record has had
	paths []string          // the files that it has had, relative to .sdd; grows while they are walked
	found map[int]*passage  // by step
	blobs map[string]*version
}

// spot is a delta of a step.
type spot struct{ step, delta int }

// passage is what one commit did to the record.
type passage struct {
	olds []*version // by parent, nil where that had none, or another name for it
	now  *version   // nil when it is gone
}

// Passed is a commit that changed the record.
type Passed struct {
	Step   git.Step
	Change Change
}

// newTrace reads the commits before and with rev that changed records.
func (h *history) newTrace(rev string) (*trace, error) {
	t := &trace{h: h, at: map[string][]spot{}, ids: map[string]bool{}, found: map[int]*passage{}, blobs: map[string]*version{}}
	var err error
	if rev != "" {
		t.steps, err = h.repo.Steps(h.ctx, rev, h.prefix)
	}
	var configs []string
	for i, s := range t.steps {
		for k, d := range s.Deltas {
			if path, ok := h.recordPath(d.Path); ok {
				t.at[path] = append(t.at[path], spot{i, k})
			} else if d.Path == h.prefix+"/"+config.Name {
				configs = append(append(configs, d.New), d.Old...)
			}
		}
	}
	h.oneProject(configs)
	return t, err
}

// follow walks the history of the record that has, or had, that id and file.
func (t *trace) follow(id, path string) error {
	t.ids[id] = true
	t.addPath(path)
	for i := 0; i < len(t.paths); i++ {
		for _, p := range t.at[t.paths[i]] {
			if err := t.h.ctx.Err(); err != nil {
				return err
			}
			t.pass(p, t.paths[i])
		}
	}
	return nil
}

func (t *trace) addPath(path string) {
	if !slices.Contains(t.paths, path) {
		t.paths = append(t.paths, path)
	}
}

// pass looks at one change of a file that the record has had.
func (t *trace) pass(p spot, path string) {
	step := &t.steps[p.step]
	d := &step.Deltas[p.delta]
	now := t.version(step.ID, path, d.New, d.Gone)
	olds := make([]*version, len(d.Old))
	for i, id := range d.Old {
		olds[i] = t.version(parent(step, i), path, id, id == "")
	}
	mine := func(v *version) bool { return v != nil && t.ids[v.rec.ID] }
	if mine(now) {
		for _, o := range olds { // another title made another identity
			if o != nil && mayBeOne(o, now) {
				t.ids[o.rec.ID] = true
			}
		}
	} else {
		now = nil
	}
	any := now != nil
	for i, o := range olds {
		if !mine(o) {
			olds[i] = nil
		}
		any = any || olds[i] != nil
	}
	if !any {
		return
	}
	if len(olds) == 1 && (now == nil || olds[0] == nil) {
		olds[0], now = t.renamed(p.step, path, olds[0], now)
	}
	e := t.found[p.step]
	if e == nil {
		t.found[p.step] = &passage{olds, now}
		return
	}
	for i, o := range olds {
		e.olds[i] = cmp.Or(e.olds[i], o)
	}
	e.now = cmp.Or(e.now, now)
}

// renamed looks for the other name of a record that came or went in a step.
func (t *trace) renamed(step int, path string, old, now *version) (*version, *version) {
	s := &t.steps[step]
	var came, went []*version
	for _, d := range s.Deltas {
		other, ok := t.h.recordPath(d.Path)
		switch {
		case !ok:
		case d.Gone && (now != nil || other == path):
			went = append(went, t.version(parent(s, 0), other, d.Old[0], false))
		case d.Old[0] == "" && (old != nil || other == path):
			came = append(came, t.version(s.ID, other, d.New, false))
		}
	}
	for _, c := range pair(went, came) {
		if c.old != nil && c.new != nil && (c.new.path == path || c.old.path == path) {
			t.ids[c.old.rec.ID], t.ids[c.new.rec.ID] = true, true
			t.addPath(c.old.path)
			t.addPath(c.new.path)
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

// passed returns the commits that changed the record, the newest first. Merges that only brought together
// what their parents say are not among them.
func (t *trace) passed() []Passed {
	steps := slices.Sorted(maps.Keys(t.found))
	changes, differs := make([]Change, len(steps)), make([]bool, len(steps))
	var plain sync.WaitGroup
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(steps)) {
		plain.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(steps); i = int(next.Add(1)) - 1 {
				if p := t.found[steps[i]]; len(p.olds) == 1 {
					changes[i], differs[i] = differ(p.olds[0], p.now)
				}
			}
		})
	}
	plain.Wait()
	var out []Passed
	for i, n := range steps {
		if len(t.found[n].olds) > 1 {
			changes[i], differs[i] = t.merged(n)
		}
		if differs[i] {
			out = append(out, Passed{t.steps[n], changes[i]})
		}
	}
	return out
}

// merged tells what a merge changed of its own: what differs from every one of its parents.
func (t *trace) merged(step int) (Change, bool) {
	p, s := t.found[step], &t.steps[step]
	var c Change
	first, ok := true, false
	for i, o := range p.olds {
		if o == nil {
			o = t.underOtherName(parent(s, i))
		}
		if o == nil {
			continue // it came from the other side
		}
		that, differs := differ(o, p.now)
		switch {
		case !differs:
			return c, false
		case first:
			c, ok = that, true
		default:
			c = c.common(that)
			ok = c.MeaningChanged
		}
		first = false
	}
	return c, ok
}

// underOtherName finds the record in a parent of a merge that has it elsewhere than the merge.
func (t *trace) underOtherName(commit string) *version {
	for _, path := range t.paths {
		src, err := t.h.objects.Read(commit + ":" + t.h.prefix + "/" + path)
		if err != nil {
			continue
		}
		if v := newVersion(path, src, t.h.project(state{rev: commit})); t.ids[v.rec.ID] {
			return v
		}
	}
	return nil
}

// common keeps of c what other has, too.
func (c Change) common(other Change) Change {
	keys := map[string]bool{}
	for _, k := range other.Keys {
		keys[k.Key] = true
	}
	c.Keys = slices.DeleteFunc(c.Keys, func(k KeyChange) bool { return !keys[k.Key] })
	type said struct{ section, text string }
	came, went := map[said]bool{}, map[said]bool{}
	for _, s := range other.Sections {
		for _, i := range s.Items {
			if i.Kind == "removed" {
				went[said{s.Name, i.Old}] = true
			} else {
				came[said{s.Name, i.New}] = true
			}
		}
	}
	for n := range c.Sections {
		s := &c.Sections[n]
		s.Items = slices.DeleteFunc(s.Items, func(i ItemChange) bool {
			return i.Kind == "removed" && !went[said{s.Name, i.Old}] || i.Kind != "removed" && !came[said{s.Name, i.New}]
		})
	}
	c.Sections = slices.DeleteFunc(c.Sections, func(s SectionChange) bool { return len(s.Items) == 0 || !s.MeaningChanged })
	c.MeaningChanged = c.Status == Removed || len(c.Sections) > 0 || slices.ContainsFunc(c.Keys, func(k KeyChange) bool { return !isBookkeeping(k.Key) })
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

// sectionName is a section that is asked for: by its heading or by the argument that fills it.
type sectionName struct{ asked, known string }

func sectionNamed(path, asked string) sectionName {
	kind, _ := record.KindOf(path)
	known, _ := record.SectionNamed(kind, asked)
	return sectionName{strings.TrimSpace(asked), known.Name}
}

// is reports whether a heading is that of the section.
func (n sectionName) is(heading string) bool {
	heading = strings.TrimSpace(heading)
	return strings.EqualFold(heading, n.asked) || n.known != "" && strings.EqualFold(heading, n.known)
}

func (v *version) hasSection(name sectionName) bool {
	return slices.ContainsFunc(v.rec.Sections, func(s record.Section) bool { return name.is(s.Name) })
}
