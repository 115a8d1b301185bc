package store

import (
	"context"
	"path"
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
	if at, ok := s.writer(t, path, tag); ok {
		s.tellSaved(at, path, tag)
		return nil
	}
	var found []Notice
	if which, ok := s.suspect(t, path, src); ok {
		if found, ok = s.confirm(t, path, which); !ok {
			return nil // a save was under way; whoever reads its result observes again
		}
	}
	s.feed.add(Notice{Kind: NoteEdited, Record: s.recordAt(t, path), Path: path, Time: s.opt.Now(), etag: tag})
	return found
}

// ObserveAgain is Observe for bytes that it was told of before, where something happened to the file since: another process may
// have saved in between, and an editor put the same old text back. It is no news.
func (s *Store) ObserveAgain(path string, src []byte) (found []Notice) {
	t, err := s.open()
	if err != nil || check(path) != nil {
		return nil
	}
	if _, ok := s.writer(t, path, record.Etag(src)); ok {
		return nil
	}
	if which, ok := s.suspect(t, path, src); ok {
		found, _ = s.confirm(t, path, which)
	}
	return found
}

// writer returns the last tool save at path when it made the version tag. Where a change was lost or put back since, the same
// bytes are an editor's text too.
func (s *Store) writer(t *tree, path, tag string) (entry entryRef, ok bool) {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	n, ok := j.lastAt(path)
	if !ok || j.entries[n].after != etagBits(tag) {
		return entryRef{}, false
	}
	record := j.entries[n].record
	return entryRef{j.reading, n}, !j.unsure(record, n) && !j.lostSince(record, n)
}

// expects reports whether a tool's last save at path left a file there.
func (s *Store) expects(t *tree, path string) bool {
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	n, ok := j.lastAt(path)
	return ok && j.entries[n].after != 0
}

// lastAt returns the last entry that changed a file at path, with mu held; ok is false when there is none.
func (j *journal) lastAt(path string) (n int32, ok bool) {
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
func (s *Store) tellSaved(at entryRef, path, tag string) {
	s.journal.mu.Lock()
	defer s.journal.mu.Unlock()
	if at.reading == s.journal.reading {
		s.feedSaved(at, path, tag)
	}
}

// feedSaved is tellSaved with the journal's mu held.
func (s *Store) feedSaved(at entryRef, path, tag string) {
	if m := s.journal.entries[at.n]; !m.mine && !m.olderThan(s.journal.began) {
		s.feed.add(Notice{Kind: NoteSaved, Path: path, etag: tag, entry: &at})
	}
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
func (s *Store) suspect(t *tree, path string, src []byte) (which uint64, ok bool) {
	if !s.concerned(t, path) {
		return 0, false
	}
	lost, back := s.findings(t, path, record.Open(src))
	if len(lost) > 0 {
		return hash(lost[0].entry.Record), true
	}
	if len(back) > 0 {
		return hash(back[0].Record), true
	}
	return 0, false
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
	return s.inspect(t, p, path, record.Open(f.Bytes)), true
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
func (s *Store) inspect(t *tree, p *private, path string, now *record.Doc) []Notice {
	lost, back := s.findings(t, path, now)
	if len(lost) > 0 {
		lost = s.uncommitted(t, path, lost)
	}
	entries := overwritten(path, lost)
	if p != nil {
		for _, all := range [][]Entry{entries, back} {
			for i := range all {
				s.append(t, p, &all[i])
			}
		}
	}
	var out []Notice
	for _, e := range entries {
		out = append(out, newNote(e, none).notice())
	}
	return out
}

// findings compares a record's file with what tools saved in it: changes that are lost and of which no note is known, oldest
// first, and the entries that close the notes whose change is there again.
func (s *Store) findings(t *tree, file string, now *record.Doc) (lost []acked, back []Entry) {
	d := s.opt.Describe(file, now)
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	record, ok := j.known(file, d.Record)
	if !ok {
		return nil, nil
	}
	for _, n := range j.noted[record] {
		if path.Dir(n.entry.Path) != path.Dir(file) {
			continue
		}
		if again := n.backIn(d); len(again) > 0 {
			e := Entry{Op: OpResolved, Record: n.entry.Record, Path: file, Use: useBack, Source: []string{n.entry.ID}}
			for _, c := range again {
				e.Sections = append(e.Sections, SectionChange{Name: c.Name})
			}
			back = append(back, e)
		}
	}
	return j.lost(lineage{record, hash(path.Dir(file))}, d), back
}

// standing parts changes into those that are there in a version of the file and the others.
func (s *Store) standing(t *tree, file string, version []byte, all []acked) (there, gone []acked) {
	d := s.opt.Describe(file, record.Open(version))
	texts := d.texts()
	j := &s.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	j.refresh(t)
	for _, a := range all {
		name := foldName(a.change.Name)
		c := j.chain(lineage{hash(a.entry.Record), hash(path.Dir(file))})
		if a.in.there(a.at, texts[name], func(lines lineSet) bool { return j.elsewhere(c, name, texts, lines) }) {
			there = append(there, a)
		} else {
			gone = append(gone, a)
		}
	}
	return there, gone
}

// overwritten makes the entries for lost changes, one for each save. Before and After are its versions where all that it changed is lost.
func overwritten(file string, lost []acked) (all []Entry) {
	for _, a := range lost {
		if n := len(all); n > 0 && all[n-1].Source[0] == a.entry.ID {
			all[n-1].Sections = append(all[n-1].Sections, a.change)
			continue
		}
		e := Entry{Op: OpOverwritten, Path: file, Record: a.entry.Record, Lock: a.entry.Lock, Tool: a.entry.Tool, Session: a.entry.Session,
			Source: []string{a.entry.ID}, Sections: []SectionChange{a.change}}
		if a.whole {
			e.Before, e.After = a.entry.Before, a.entry.After
		}
		all = append(all, e)
	}
	return all
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
