package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
)

const gitignore = `# Made by sdd: what is yours alone, what this machine needs, what can be made again.
/personal/
/.local/
/views/
`

const gitattributes = `# Made by sdd. In a clone where sdd init was run, git merges and shows records section by section;
# elsewhere it merges them as text and shows them as Markdown. Line ends are left to your git settings.
/explore/**/*.md merge=sdd diff=markdown
/ideas/**/*.md merge=sdd diff=markdown
/facts/**/*.md merge=sdd diff=markdown
/decisions/**/*.md merge=sdd diff=markdown
/inbox/**/*.md merge=sdd diff=markdown
`

// ensureLock is the identity that guards the making of a store.
const ensureLock = "\x00ensure"

// Ensure creates the store and returns the new files, relative to its root. Any number of processes may call it at once. .gitignore comes
// last, as the mark of a complete store: where it exists, a file of the three that the user deleted stays deleted.
func (s *Store) Ensure() ([]string, error) {
	_, _, made, err := s.prepare(context.Background())
	return made, err
}

// prepare returns the tree and its private folders, ready for writing. It creates missing folders and handles leftovers.
func (s *Store) prepare(ctx context.Context) (*tree, *private, []string, error) {
	s.Config() // for limit
	t, err := s.open()
	if errors.Is(err, errNoStore) {
		if err := git.WithoutWorkTree(s.dir); err != nil {
			return nil, nil, nil, err
		}
		if err = os.Mkdir(s.sdd, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, nil, nil, blocked("", err)
		}
		t, err = s.open()
	}
	if errors.Is(err, errNoStore) {
		return nil, nil, nil, errMoved
	}
	if err != nil {
		return nil, nil, nil, err
	}
	p, made, fresh, err := s.equip(ctx, t)
	if err != nil {
		return nil, nil, made, blocked("", err)
	}
	if fresh && s.recover(t, p) != nil {
		s.leftovers.Store(true) // a save can go on without it; the doctor reports it
	}
	return t, p, made, nil
}

// equip opens the private folders; fresh is true the first time.
func (s *Store) equip(ctx context.Context, t *tree) (p *private, made []string, fresh bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.private
	if p, err = t.openPrivate(); err != nil || p == was {
		return p, nil, false, err
	}
	if made, err = s.furnish(ctx, t, p); err != nil {
		t.private = nil // the next write tries again
	}
	return p, made, true, err
}

// furnish writes the three files of a new store.
func (s *Store) furnish(ctx context.Context, t *tree, p *private) (made []string, err error) {
	defer fault.Caught(&err)
	if _, err := t.root.Lstat(".gitignore"); err == nil {
		return nil, nil
	}
	unlock, err := s.lock(ctx, p, ensureLock)
	fault.Check(err)
	defer unlock()
	top := fault.Must(t.dir("."))
	defer top.Close()
	for _, f := range []struct {
		name string
		text []byte
	}{
		{config.Name, config.Create(s.Project())},
		{".gitattributes", []byte(gitattributes)},
		{".gitignore", []byte(gitignore)},
	} {
		if _, err := t.root.Lstat(f.name); err == nil {
			continue
		}
		name := tempName{shard: shard(ensureLock), nonce: s.nonce(), after: record.Etag(f.text)}.String()
		_, err := p.tmp.write(name, f.text, nil, true)
		if err == nil {
			err = t.place(p.tmp, name, top, f.name)
		}
		if err != nil {
			p.tmp.Remove(name)
		} else {
			made = append(made, shown(f.name))
		}
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return made, err
		}
	}
	fault.Check(syncFolder(top.file))
	above := fault.Must(os.Open(s.dir))
	defer above.Close()
	return made, syncFolder(above)
}
