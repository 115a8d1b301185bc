package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path"

	"sdd/internal/fault"
	"sdd/internal/journal"
	"sdd/internal/record"
)

// A killed save leaves files in .local/tmp. Recover compares each with the etags in its name (temp.go):
//
//   - a text that was never in place, or that the save would have put there, was not acknowledged: it goes to the trash;
//   - the text that the save had read shows that the change is in place: it goes to the trash, and the change gets its journal entry;
//   - any other text was saved by an editor in that moment: to the trash, and pending unless it is in the file or some tool wrote it;
//   - when power was lost before the exchanged file was on the disk, the record is empty, and the text that it displaced goes back.
//
// A file belongs to the save that holds its lock. A file that a program still has open stays.

// Recover handles the leftovers of killed saves. The first save of a process calls it too. Without leftovers it only lists one folder.
func (s *Store) Recover(ctx context.Context) error {
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		return nil
	}
	if err != nil {
		return err
	}
	t.mu.Lock()
	p, err := t.openPrivate()
	t.mu.Unlock()
	if err == nil {
		err = s.recover(t, p)
	}
	return refused("", err)
}

func (s *Store) recover(t *tree, p *private) error {
	left, err := leftovers(p)
	if err != nil {
		return err
	}
	s.leftovers.Store(false)
	for n := range left {
		unlock, ok := s.tryLock(p, n)
		if !ok {
			continue // a save is under way
		}
		err := s.recoverShard(t, p, n, "")
		unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// leftovers lists the files in .local/tmp by the shard of their lock.
func leftovers(p *private) (map[uint8][]tempName, error) {
	names, err := p.tmp.names()
	if err != nil {
		return nil, err
	}
	out := map[uint8][]tempName{}
	for _, name := range names {
		if n, ok := parseTempName(name); ok {
			out[n.shard] = append(out[n.shard], n)
		}
	}
	return out, nil
}

// recoverShard handles the leftovers of one lock, which the caller holds, except the caller's own file.
func (s *Store) recoverShard(t *tree, p *private, shard uint8, own string) error {
	left, err := leftovers(p)
	if err != nil {
		return err
	}
	for _, n := range left[shard] {
		if n.nonce == own {
			continue
		}
		if err := s.recoverFile(t, p, n); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func (s *Store) recoverFile(t *tree, p *private, n tempName) (err error) {
	defer fault.Caught(&err)
	name := n.String()
	if !fault.Must(p.tmp.Lstat(name)).Mode().IsRegular() {
		return p.tmp.Remove(name) // an exchanged link or pipe, which has no text
	}
	f := fault.Must(p.tmp.OpenFile(name, os.O_RDONLY, 0))
	data, _, open, err := waitForWriter(f, -1, glance)
	f.Close()
	fault.Check(err)
	if open {
		s.leftovers.Store(true)
		return nil
	}
	tag := record.Etag(data)
	if n.displaced && n.path != "" && tag != n.after {
		now, _, err := s.read(t, n.path, glance)
		switch {
		case err == nil && tag == n.before && len(now.Bytes) == 0 && len(data) > 0 && n.after != record.Etag(nil):
			return s.restore(t, p, n)
		case err == nil && tag == n.before && record.Etag(now.Bytes) == n.after:
			s.journalKilled(t, n, record.Open(data), record.Open(now.Bytes))
		case tag != n.before && len(t.journal.Makers(tag)) == 0:
			fault.Check(s.orphaned(t, n, tag, data, now.Bytes))
		}
	}
	return t.toTrash(p, name, tag)
}

// restore puts a displaced file back in the place of an empty one.
func (s *Store) restore(t *tree, p *private, n tempName) error {
	d, err := t.dir(path.Dir(n.path))
	if err != nil {
		return err
	}
	defer d.Close()
	empty := n
	empty.nonce = s.nonce()
	if err := t.exchange(p.tmp, n.String(), empty.String(), d, path.Base(n.path)); err != nil {
		return err
	}
	return t.toTrash(p, empty.String(), record.Etag(nil))
}

// journalKilled writes the entry for a save that was killed after its change was in place.
func (s *Store) journalKilled(t *tree, n tempName, before, now *record.Doc) {
	if t.journal.Saved(n.path, n.after).ByTool {
		return
	}
	s.append(t, &journal.Entry{Op: journal.Save, Record: s.describe(n.path, now).Record, Path: n.path, Before: n.before, After: n.after,
		Use: "recovered", Sections: s.diff(n.path, before, now), Patch: journal.Patch(before.Src, now.Src)})
}

// orphaned makes pending the text of an editor that a killed save displaced.
func (s *Store) orphaned(t *tree, n tempName, tag string, data, now []byte) error {
	is, have := s.describe(n.path, record.Open(data)), s.describe(n.path, record.Open(now))
	e := journal.Entry{Op: journal.Displaced, Record: is.Record, Path: n.path, Before: n.before, After: tag}
	if len(now) > 0 {
		e.Record = have.Record
	}
	base, _ := s.version(t, n.before, 0)
	was := s.describe(n.path, record.Open(base))
	for _, sec := range is.Sections {
		e.Sections = append(e.Sections, journal.Change{Name: sec.Name, Before: was.Text(sec.Name), After: sec.Text})
	}
	if e.Sections = have.Without(e.Sections); len(e.Sections) == 0 {
		return nil
	}
	return s.append(t, &e)
}
