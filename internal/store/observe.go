package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"sdd/internal/record"
)

// Observe is told of a file whose bytes this process did not write, by whoever reads changed
// files; src is nil when the file is gone. It returns what was found to be wrong: acknowledged
// changes of tools that are not in the file any more because an editor saved a text from before
// them. They are written down as pending, once for all processes. It never touches a record,
// and costs next to nothing for files that no tool saved.
func (s *Store) Observe(path string, src []byte) []Notice {
	t, err := s.open()
	if err != nil || check(path) != nil {
		return nil
	}
	if src == nil {
		s.journal.forgetStrays()
		s.feed.add(Notice{Kind: NoteRemoved, Record: s.recordAt(t, path), Path: path, Time: s.opt.Now()})
		return nil
	}
	tag := record.Etag(src)
	if n, ok := s.writer(t, path, tag); ok {
		s.tellSaved(n, path, tag)
		return nil
	}
	record, ok := s.suspect(t, path, src)
	if ok {
		found, ok := s.confirm(t, path, record)
		if !ok {
			return nil // a save was under way; whoever reads its result observes again
		}
		s.feed.add(Notice{Kind: NoteEdited, Record: s.recordAt(t, path), Path: path, Time: s.opt.Now(), etag: tag})
		return found
	}
	s.feed.add(Notice{Kind: NoteEdited, Record: s.recordAt(t, path), Path: path, Time: s.opt.Now(), etag: tag})
	return nil
}

// writer returns the last tool save at path when it made the version tag.
func (s *Store) writer(t *tree, path, tag string) (entry int32, ok bool) {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	n, ok := j.lastAt(t, path)
	return n, ok && j.entries[n].after == etagBits(tag)
}

// expects reports whether a tool's last save at path left a file there.
func (s *Store) expects(t *tree, path string) bool {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	n, ok := j.lastAt(t, path)
	return ok && j.entries[n].after != 0
}

// lastAt returns the last entry that changed a file at path, with mu held; ok is false when there is none.
func (j *journal) lastAt(t *tree, path string) (n int32, ok bool) {
	j.refresh(t)
	if n, ok = j.paths[hash(path)]; !ok {
		return 0, false
	}
	n = j.lastWrite(n)
	return n, n >= 0
}

// lastWrite returns the entry n or the last before it that changed the record's file, else -1.
func (j *journal) lastWrite(n int32) int32 {
	for n >= 0 && !j.entries[n].writes() {
		n = j.entries[n].prev
	}
	return n
}

// tellSaved tells the feed of a save by another process while this one was running.
func (s *Store) tellSaved(n int32, path, tag string) {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if n < j.old || int(n) >= len(j.entries) || j.entries[n].mine {
		return
	}
	s.feed.add(Notice{Kind: NoteSaved, Path: path, etag: tag, entry: &entryRef{j.reading, n}})
}

func savedNotice(e Entry) Notice {
	kind := NoteSaved
	if e.Op == OpRemove {
		kind = NoteRemoved
	}
	return Notice{Kind: kind, Record: e.Record, Path: e.Path, Sections: names(e.Sections),
		Tool: e.Tool, Session: e.Session, Time: e.Time, etag: e.After}
}

// recordAt returns the record that a tool last saved at path, "" when none did.
func (s *Store) recordAt(t *tree, path string) string {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	if n, ok := j.paths[hash(path)]; ok {
		e, _ := j.brief(n)
		return e.Record
	}
	return ""
}

// suspect reports whether anything is to be written down for the file: a change that is gone
// and was not reported, or one that was reported and is back.
func (s *Store) suspect(t *tree, path string, src []byte) (record uint64, ok bool) {
	if !s.concerned(t, path) {
		return 0, false
	}
	d := s.opt.Describe(path, src)
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	record, ok = j.known(path, d.Record)
	if !ok {
		return 0, false
	}
	gone, back := j.judge(record, d)
	return record, len(gone) > 0 || len(back) > 0
}

// concerned reports whether the file can be one that a tool saved: at this path, or at one where
// there is no file any more, since it may have been renamed by hand.
func (s *Store) concerned(t *tree, path string) bool {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	if _, here := j.paths[hash(path)]; here || len(j.entries) == 0 {
		return here
	}
	if j.strays == unknown {
		j.strays = s.strays(t)
	}
	return j.strays == yes
}

// strays reports whether a tool saved a record at a path where there is no file now.
func (s *Store) strays(t *tree) answer {
	files := map[uint64]bool{}
	for _, rel := range recordFolders {
		err := t.scan(context.Background(), rel, func(p string, _ Stat) error { files[hash(p)] = true; return nil }, func(string) {})
		if err != nil {
			return yes
		}
	}
	j := &s.journal
	for _, n := range j.records {
		if n = j.lastWrite(n); n >= 0 && j.entries[n].after != 0 && !files[j.entries[n].path] {
			return yes
		}
	}
	return no
}

// forgetStrays makes concerned look at the folders again.
func (j *journal) forgetStrays() {
	j.mu.Lock()
	j.strays = unknown
	j.mu.Unlock()
}

// known returns which record the journal has for the file: the one it says it is, else the one
// that was last saved at its path.
func (j *journal) known(path, record string) (uint64, bool) {
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

// judge compares a record's file with what tools saved in it. gone are changes that are lost
// and not pending, by section; back are pending notes whose change is there again.
func (j *journal) judge(record uint64, d Description) (gone map[string][]acked, back []*note) {
	gone = j.lost(record, d)
	for _, n := range j.notes {
		if hash(n.entry.Record) == record && !slices.ContainsFunc(slices.Collect(maps.Keys(n.open)), func(name string) bool {
			return n.missing(name, gone[name], d)
		}) {
			back = append(back, n)
		}
	}
	for name, lost := range gone {
		lost = slices.DeleteFunc(lost, func(g acked) bool {
			return g.meant || slices.ContainsFunc(j.notes, func(n *note) bool {
				return n.open[name] && slices.Contains(n.entry.Source, g.id)
			})
		})
		if gone[name] = lost; len(lost) == 0 {
			delete(gone, name)
		}
	}
	return gone, back
}

const confirmPatience = 2 * time.Second

// confirm takes the record's lock, so that no save is under way, looks at the file again, and
// writes down what is wrong. ok is false when there was nothing to be confirmed.
func (s *Store) confirm(t *tree, path string, which uint64) (found []Notice, ok bool) {
	t.mu.Lock()
	p, err := t.openPrivate()
	t.mu.Unlock()
	if err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), confirmPatience)
		defer cancel()
		identity := s.lockOf(which)
		unlock, err := s.lock(ctx, p, identity)
		if err != nil {
			return nil, false
		}
		defer unlock()
		s.recoverShard(t, p, shard(identity), "") // a killed save may have written it
	} // else nobody can save here either
	f, open, err := s.read(t, path, care)
	if err != nil || open {
		return nil, false
	}
	if _, known := s.writer(t, path, record.Etag(f.Bytes)); known {
		return nil, false
	}
	return s.inspect(t, p, path, f.Bytes), true
}

// lockOf returns the identity that guards a record.
func (s *Store) lockOf(record uint64) string {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	if n, ok := j.records[record]; ok {
		if e, ok := j.brief(n); ok {
			return e.lock()
		}
	}
	return ""
}

// inspect is called with the record's lock held and the bytes of its file. It writes down what
// is lost and what is back, and returns what is newly lost. Without private folders it tells only.
func (s *Store) inspect(t *tree, p *private, path string, src []byte) []Notice {
	lost, back := s.findings(t, path, src, nil)
	if len(lost) > 0 {
		if safe := s.committed(t, path, lost[0]); len(safe) > 0 {
			lost, back = s.findings(t, path, src, safe)
		}
	}
	var out []Notice
	for _, e := range lost {
		if p != nil {
			s.append(t, p, &e)
		}
		out = append(out, newNote(e).notice())
	}
	for _, e := range back {
		if p != nil {
			s.append(t, p, &e)
		}
	}
	return out
}

// findings returns the entries to be written down for the file: changes lost, but for those of the sections safe, in one entry, and notes settled.
func (s *Store) findings(t *tree, path string, src []byte, safe map[string]bool) (lost, back []Entry) {
	d := s.opt.Describe(path, src)
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	record, ok := j.known(path, d.Record)
	if !ok {
		return nil, nil
	}
	gone, again := j.judge(record, d)
	maps.DeleteFunc(gone, func(name string, _ []acked) bool { return safe[name] })
	if len(gone) > 0 {
		if e, ok := j.overwritten(path, d, gone); ok {
			lost = append(lost, e)
		}
	}
	for _, n := range again {
		back = append(back, Entry{Op: OpResolved, Record: n.entry.Record, Path: path, Source: []string{n.entry.ID}})
	}
	return lost, back
}

// standing calls stands for each section of e whose lost changes are there in a version of the file.
func (s *Store) standing(t *tree, path string, version []byte, e Entry, stands func(name string)) {
	d := s.opt.Describe(path, version)
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	lost := j.lost(hash(e.Record), d)
	for _, c := range e.Sections {
		name := foldName(c.Name)
		if !slices.ContainsFunc(lost[name], func(l acked) bool { return !l.meant && slices.Contains(e.Source, l.id) }) {
			stands(name)
		}
	}
}

// overwritten makes the entry for lost changes. Its version Before is the one that the stale
// text came from, as far as that can be known, and After the one with all that was lost.
func (j *journal) overwritten(path string, d Description, gone map[string][]acked) (Entry, bool) {
	e := Entry{Op: OpOverwritten, Path: path}
	first, last := int32(-1), int32(-1)
	for name, lost := range gone {
		e.Sections = append(e.Sections, SectionChange{lost[0].change.Name, d.text(name), lost[0].change.After})
		for _, l := range lost {
			e.Source = append(e.Source, l.id)
			if first < 0 || l.entry < first {
				first = l.entry
			}
			last = max(last, l.entry)
		}
	}
	slices.SortFunc(e.Sections, func(a, b SectionChange) int { return strings.Compare(a.Name, b.Name) })
	slices.Sort(e.Source)
	e.Source = slices.Compact(e.Source)
	a, ok := j.load(first)
	b, ok2 := j.load(last)
	e.Record, e.Lock, e.Before, e.After = b.Record, b.Lock, a.Before, b.After
	e.Tool, e.Session, e.Time = b.Tool, b.Session, a.Time
	return e, ok && ok2
}

// text returns the text of the section with that folded name.
func (d Description) text(name string) string {
	for _, s := range d.Sections {
		if foldName(s.Name) == name {
			return s.Text
		}
	}
	return ""
}

func names(changes []SectionChange) []string {
	var out []string
	for _, c := range changes {
		out = append(out, c.Name)
	}
	return out
}
