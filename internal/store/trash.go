package store

import (
	"cmp"
	"encoding/hex"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"
	"time"

	"sdd/internal/journal"
	"sdd/internal/record"
)

// The trash holds the versions that saves displaced, each once, under its etag. Undo restores them, and later merges use them as bases.

const (
	trashAge  = 30 * 24 * time.Hour
	trashSize = 64 << 20
	pruneStep = 4 << 20 // the trash is pruned about once for every so many incoming bytes
)

// isEtag reports whether a name is an etag. Other names could lead out of the trash's folder.
func isEtag(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 8
}

// toTrash moves a displaced file to the trash.
func (t *tree) toTrash(p *private, name, tag string) error {
	err := t.move(p.tmp, name, p.trash, tag)
	if err == nil && !movesShow {
		now := time.Now()
		p.trash.Chtimes(tag, now, now) // its age in the trash counts from now, not from its last write
	}
	return err
}

// keep puts a copy of v into the trash. The copy is not synced: a power loss may lose it.
func (t *tree) keep(p *private, nonce string, v *record.Doc) error {
	if _, err := p.trash.Lstat(v.Etag); err == nil {
		return nil
	}
	name := "." + nonce
	err := p.trash.create(name, v.Src)
	if err == nil {
		err = t.move(p.trash, name, p.trash, v.Etag)
	}
	if err != nil {
		p.trash.Remove(name)
	}
	return err
}

// fromTrash returns the version of that etag. It refuses a file that a program changed after it was displaced.
func (t *tree) fromTrash(tag string) ([]byte, bool) {
	if !isEtag(tag) {
		return nil, false
	}
	data, err := t.root.ReadFile(trashFolder + "/" + tag)
	return data, err == nil && record.Etag(data) == tag
}

// prune seldom deletes, in the background, versions older than a month, and the oldest of too many bytes, but none that undo needs:
// the version before a record's last save, and those that unresolved notices name.
func (s *Store) prune(t *tree, p *private, n int) {
	if rand.IntN(pruneStep) >= n {
		return
	}
	s.work.Go(func() { s.pruneNow(t, p) })
}

func (s *Store) pruneNow(t *tree, p *private) {
	names, err := p.trash.names()
	if err != nil {
		return
	}
	type copy struct {
		name string
		size int64
		at   int64
	}
	var all []copy
	var total int64
	for _, name := range names {
		if fi, err := p.trash.Lstat(name); err == nil {
			st := statOf(fi)
			all = append(all, copy{name, st.Size, max(st.Ctime, st.Mtime)}) // moved here or written
			total += st.Size
		}
	}
	slices.SortFunc(all, func(a, b copy) int { return cmp.Compare(a.at, b.at) })
	needed := t.journal.Needed()
	old := s.opt.Now().Add(-trashAge).UnixNano()
	for _, c := range all {
		if c.at >= old && (total <= trashSize || needed[c.name]) {
			continue
		}
		if p.trash.Remove(c.name) == nil {
			total -= c.size
		}
	}
}

// names lists a private folder in no particular order.
func (d *dir) names() ([]string, error) {
	f, err := d.OpenFile(".", os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	names, err := f.Readdirnames(-1)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return names, err
}

// Version returns an earlier version of a file by its etag, from the trash or by the journal's patches. It takes no lock.
func (s *Store) Version(etag string) ([]byte, bool) {
	t, err := s.open()
	if err != nil {
		return nil, false
	}
	return s.version(t, etag, 0)
}

const mostPatches = 32 // one on top of the other

func (s *Store) version(t *tree, etag string, depth int) ([]byte, bool) {
	if data, ok := t.fromTrash(etag); ok {
		return data, true
	}
	if depth == mostPatches || !isEtag(etag) {
		return nil, false
	}
	for _, e := range t.journal.Makers(etag) {
		before, ok := []byte(nil), e.Before == ""
		if !ok {
			before, ok = s.version(t, e.Before, depth+1)
		}
		if !ok {
			continue
		}
		if data, ok := journal.Apply(before, e.Patch); ok && record.Etag(data) == etag {
			return data, true
		}
	}
	return nil, false
}

// SectionVersion returns an earlier text of a section by its etag, from the versions that tools saved or replaced.
func (s *Store) SectionVersion(id, section, etag string) (string, bool) {
	t, err := s.open()
	if err != nil || !isEtag(etag) {
		return "", false
	}
	name := journal.FoldName(section)
	entries := t.journal.Of(id)
	for _, e := range entries {
		for _, c := range e.Sections {
			if journal.FoldName(c.Name) != name {
				continue
			}
			for _, text := range []string{c.After, c.Before} {
				if record.Etag([]byte(text)) == etag {
					return text, true
				}
			}
		}
	}
	for _, e := range entries {
		data, ok := t.fromTrash(e.Before)
		if !ok {
			continue
		}
		for _, sec := range s.describe(e.Path, record.Open(data)).Sections {
			if journal.FoldName(sec.Name) == name && record.Etag([]byte(sec.Text)) == etag {
				return sec.Text, true
			}
		}
	}
	return "", false
}

// Entries returns the journal's entries of a record in this clone, the latest first. The journal is bounded, so some may be missing.
func (s *Store) Entries(record string) []journal.Entry {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return t.journal.Of(record)
}

// SavedIn returns the ids of the records that tools saved in a session, by the journal. Sessions are compared without case.
func (s *Store) SavedIn(session string) []string {
	t, err := s.open()
	if err != nil {
		return nil
	}
	return t.journal.SavedIn(session)
}

func (s *Store) append(t *tree, e *journal.Entry) error {
	e.ID, e.Time = s.nonce(), s.opt.Now().UTC()
	return t.journal.Append(e)
}
