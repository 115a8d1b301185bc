package journal

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
)

// lastAt returns the last entry that changed a file at path; ok is false when there is none.
func (j *Journal) lastAt(path string) (n int32, ok bool) {
	if n, ok = j.paths[hash(path)]; !ok {
		return 0, false
	}
	n = j.lastWrite(n)
	return n, n >= 0
}

// lastWrite returns the last entry up to n that changed the record's file, else none.
func (j *Journal) lastWrite(n int32) int32 {
	for n >= 0 && !j.entries[n].writes() {
		n = j.entries[n].prev
	}
	return n
}

// Saved is the journal's knowledge of one version of a file.
type Saved struct {
	ByTool bool // the last save of a tool at that path made it, and no part of it was lost or put back since
	News   *Ref // that save, if another process made it after this one started
}

// Saved looks up the version etag at path.
func (j *Journal) Saved(path, etag string) (s Saved) {
	defer j.fresh()()
	n, ok := j.lastAt(path)
	if !ok || j.entries[n].after != etagBits(etag) {
		return s
	}
	m := j.entries[n]
	if s.ByTool = !j.unsure(m.record, n) && !j.lostSince(m.record, n); s.ByTool && !m.own && !m.olderThan(j.began) {
		s.News = &m.Ref
	}
	return s
}

// Entry reads an entry; ok is false when it was dropped.
func (j *Journal) Entry(at Ref) (e Entry, ok bool) {
	defer j.fresh()()
	return j.read(at)
}

// Expects reports whether a tool's last save at path left a file there.
func (j *Journal) Expects(path string) bool {
	defer j.fresh()()
	n, ok := j.lastAt(path)
	return ok && j.entries[n].after != 0
}

// Knows reports whether a tool saved a file at path, and whether one saved any file.
func (j *Journal) Knows(path string) (here, any bool) {
	defer j.fresh()()
	_, here = j.paths[hash(path)]
	return here, len(j.entries) > 0
}

// Stray reports whether a tool saved a record at a path outside this list.
func (j *Journal) Stray(paths []string) bool {
	files := map[uint64]bool{}
	for _, p := range paths {
		files[hash(p)] = true
	}
	defer j.fresh()()
	for _, n := range j.records {
		if n = j.lastWrite(n); n >= 0 && j.entries[n].after != 0 && !files[j.entries[n].path] {
			return true
		}
	}
	return false
}

// LockOf returns the identity that guards a record, "" when the journal does not know the record.
func (j *Journal) LockOf(record string) string {
	defer j.fresh()()
	if n, ok := j.records[hash(record)]; ok {
		if e, ok := j.load(n); ok {
			return e.Identity()
		}
	}
	return ""
}

// known returns the hash of the record in a file: the record with that id when the journal has it, else the last one saved at the path.
func (j *Journal) known(path, record string) (uint64, bool) {
	if h := hash(record); record != "" {
		if _, ok := j.records[h]; ok {
			return h, true
		}
	}
	if n, ok := j.paths[hash(path)]; ok {
		return j.entries[n].record, true
	}
	return 0, false
}

// Findings returns the lost changes of a file without a note, oldest first, and the entries that close the notes of those that are back.
func (j *Journal) Findings(file string, f File) (lost []Loss, back []Entry) {
	defer j.fresh()()
	record, ok := j.known(file, f.Record)
	if !ok {
		return nil, nil
	}
	for _, n := range j.noted[record] {
		if path.Dir(n.Entry.Path) != path.Dir(file) {
			continue
		}
		if again := n.backIn(f); len(again) > 0 {
			e := Entry{Op: Resolved, Record: n.Entry.Record, Path: file, Use: UseBack, Source: []string{n.Entry.ID}}
			for _, c := range again {
				e.Sections = append(e.Sections, Change{Name: c.Name})
			}
			back = append(back, e)
		}
	}
	return j.lost(lineage{record, hash(path.Dir(file))}, f), back
}

// Part divides changes into those that a version of the file has and those that it lacks.
func (j *Journal) Part(file string, f File, all []Loss) (there, gone []Loss) {
	texts := f.texts()
	defer j.fresh()()
	for _, a := range all {
		name := FoldName(a.change.Name)
		c := j.chain(lineage{hash(a.Entry.Record), hash(path.Dir(file))})
		if a.in.there(a.at, texts[name], func(lines lineSet) bool { return j.elsewhere(c, name, texts, lines) }) {
			there = append(there, a)
		} else {
			gone = append(gone, a)
		}
	}
	return there, gone
}

// Older orders losses by age, the oldest first.
func Older(a, b Loss) int { return cmp.Compare(a.n, b.n) }

// OverwrittenIn makes the entries for lost changes, one a save, with the save's versions if all of its changes are lost.
func OverwrittenIn(file string, lost []Loss) (all []Entry) {
	for _, a := range lost {
		if n := len(all); n > 0 && all[n-1].Source[0] == a.Entry.ID {
			all[n-1].Sections = append(all[n-1].Sections, a.change)
			continue
		}
		e := Entry{Op: Overwritten, Path: file, Record: a.Entry.Record, Lock: a.Entry.Lock, Tool: a.Entry.Tool, Session: a.Entry.Session,
			Source: []string{a.Entry.ID}, Sections: []Change{a.change}}
		if a.whole {
			e.Before, e.After = a.Entry.Before, a.Entry.After
		}
		all = append(all, e)
	}
	return all
}

// Pending returns the open notes, oldest first, and separately those that no call returned before.
func (j *Journal) Pending() (all, news []Note) {
	defer j.fresh()()
	for _, n := range j.notes {
		if len(n.Open()) > 0 {
			open := Note{Entry: n.Entry, closed: maps.Clone(n.closed)}
			all = append(all, open)
			if !n.returned {
				news = append(news, open)
			}
		}
		n.returned = true
	}
	return all, news
}

// Needed returns the etags of the versions that undo and open notes need.
func (j *Journal) Needed() map[string]bool {
	defer j.fresh()()
	out := map[string]bool{}
	for _, n := range j.records {
		if n = j.lastWrite(n); n >= 0 {
			out[fmt.Sprintf("%016x", j.entries[n].before)] = true
		}
	}
	for _, n := range j.notes {
		if len(n.Open()) > 0 {
			out[n.Entry.Before], out[n.Entry.After] = true, true
		}
	}
	return out
}

const mostEntries = 256

// Of returns the entries of a record, the latest first.
func (j *Journal) Of(record string) []Entry {
	defer j.fresh()()
	var out []Entry
	n, ok := j.records[hash(record)]
	for ; ok && n >= 0 && len(out) < mostEntries; n = j.entries[n].prev {
		if e, ok := j.load(n); ok {
			out = append(out, e)
		}
	}
	return out
}

// Makers returns the entries whose result is the version etag, the latest first, a few at most.
func (j *Journal) Makers(etag string) []Entry {
	defer j.fresh()()
	var out []Entry
	bits := etagBits(etag)
	for n := len(j.entries) - 1; n >= 0 && len(out) < 3; n-- {
		if m := j.entries[n]; m.after == bits && m.writes() {
			if e, ok := j.load(int32(n)); ok {
				out = append(out, e)
			}
		}
	}
	return out
}

// mostApart is the most changes by other actions between two changes of one action.
const mostApart = 1000

// Undoable returns the changes of an action that a caller asked for and are not taken back or left, oldest first, but not those in but.
// An empty action is the last one, or the last that changed the record if that is given. own leaves out other processes' changes.
func (j *Journal) Undoable(action, record string, own bool, but ...Entry) []Entry {
	defer j.fresh()()
	var out []Entry
	undone := map[string]bool{}
	for _, e := range but {
		undone[e.ID] = true
	}
	apart := 0 // changes of other actions since the last one found
	for n := int32(len(j.entries)) - 1; n >= 0 && apart < mostApart; n-- {
		m := j.entries[n]
		if m.is(Undo, Resolved) {
			if e, ok := j.load(n); ok {
				for _, id := range e.Source {
					undone[id] = true
				}
			}
		}
		if !m.is(Save, Remove) || own && !m.own || action == "" && record != "" && m.record != hash(record) {
			continue
		}
		e, ok := j.load(n)
		if !ok {
			break // its segment was dropped
		}
		if !undone[e.ID] && !e.Own && (action == "" || e.ActionID() == action) {
			action = e.ActionID()
			out, apart = append(out, e), 0
		} else if len(out) > 0 {
			apart++
		}
	}
	slices.Reverse(out)
	return out
}

// SavedIn returns the ids of the records that tools saved in a session. Sessions are compared without case.
func (j *Journal) SavedIn(session string) []string {
	defer j.fresh()()
	seen := map[string]bool{}
	for _, m := range j.entries {
		line, _ := j.line(m.Ref)
		_, rest, _ := bytes.Cut(line, []byte(`,"session":`)) // quotation marks in texts are escaped, so this is the key
		if name, _, ok := firstString(rest); ok && strings.EqualFold(name, session) {
			if h, ok := parseHead(line); ok {
				seen[h.record] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
