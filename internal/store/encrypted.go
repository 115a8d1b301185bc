package store

import (
	"context"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/record"
	"sdd/internal/sealed"
)

// The private records are encrypted files below .sdd/private, which scans, the index, the watcher and the journal do not know. Their texts
// are only in a store in memory, whose saves write the files. No editor can change one, so a save needs the lock only, and no exchange.

// Encrypted is what the private records are for a user.
type Encrypted struct {
	Texts    map[string][]byte // by the paths that their files would have in plain
	Withheld int               // that no key of the user opens
	Damaged  []error           // with the files
}

// ReadEncrypted decrypts the private records. A store without any has none.
func (s *Store) ReadEncrypted(keys func() *sealed.Keys) (e Encrypted, err error) {
	e.Texts = map[string][]byte{}
	t, err := s.open()
	if err != nil {
		return e, nil // the caller's other work reports it
	}
	root, err := t.root.OpenRoot(sealed.Folder)
	if err != nil {
		return e, nil
	}
	defer root.Close()
	var k *sealed.Keys
	err = fs.WalkDir(root.FS(), ".", func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(path.Base(at), ".") {
			return err
		}
		if k == nil {
			k = keys()
		}
		full := sealed.Folder + "/" + at
		kind, known := record.KindOf(sealed.Plain(full))
		src, err := s.readEncrypted(root, at, full)
		if err == nil && (!known || kind == "" || !strings.HasSuffix(at, sealed.Ext)) {
			err = fault.New(fault.Broken, "the file is no encrypted record").With("move it out of " + shown(sealed.Folder))
		}
		if err == nil {
			src, err = k.Decrypt(src)
		}
		switch {
		case errors.Is(err, sealed.ErrNoKey):
			e.Withheld++
		case err != nil:
			e.Damaged = append(e.Damaged, fault.Of(err).At(shown(full), 0))
		default:
			e.Texts[sealed.Plain(full)] = src
		}
		return nil
	})
	return e, err
}

func (s *Store) readEncrypted(root *os.Root, at, full string) ([]byte, error) {
	f, err := openToRead(root, at, full)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, _, _, err := waitForWriter(f, 2*s.limit(), glance) // the form is longer than the text
	if err != nil {
		return nil, unreadable(full, err)
	}
	return src, nil
}

// SaveEncrypted calls use with a store in memory, whose Save writes encrypted files; no other process saves one meanwhile.
func (s *Store) SaveEncrypted(ctx context.Context, keys *sealed.Keys, use func(in *Store) error) (err error) {
	defer fault.Caught(&err)
	t, p, _, err := s.prepare(ctx)
	fault.Check(err)
	unlock, err := s.lock(ctx, p, sealed.Folder)
	fault.Check(refused("", err))
	defer unlock()
	e := fault.Must(s.ReadEncrypted(func() *sealed.Keys { return keys }))
	in := OpenTexts(e.Texts, s)
	defer in.Close()
	in.keep = func(at string, plain []byte) error {
		src, err := keys.Encrypt(plain)
		if err != nil {
			return err
		}
		if err := t.keepEncrypted(sealed.Folder, ".gitattributes", []byte("* binary\n")); err != nil { // git merges no binary file as text
			return refused(at, err)
		}
		at += sealed.Ext
		if have, err := t.root.Lstat(at); err == nil && e.Texts[sealed.Plain(at)] == nil {
			return fault.New(fault.Conflict, "%s has a private record of that name, which you cannot read", have.Name()).At(shown(at), 0).
				With("save under another title")
		}
		return refused(at, t.keepEncrypted(path.Dir(at), path.Base(at), src))
	}
	return use(in)
}

// EncryptAgain encrypts the private records that the keys open for the present recipients, and returns their number.
func (s *Store) EncryptAgain(ctx context.Context, keys *sealed.Keys) (n int, err error) {
	err = s.SaveEncrypted(ctx, keys, func(in *Store) error {
		for at, src := range in.texts {
			if err := in.keep(at, src); err != nil {
				return err
			}
			n++
		}
		return nil
	})
	return n, err
}

// keepEncrypted writes a file durably in one step.
func (t *tree) keepEncrypted(folder, name string, src []byte) error {
	d, err := t.ensureDir(folder)
	if err != nil {
		return err
	}
	defer d.Close()
	if old, err := d.ReadFile(name); err == nil && string(old) == string(src) {
		return nil
	}
	return WriteWhole(d.Root, name, src, true)
}

// saveText is Save in a store in memory.
func (s *Store) saveText(e Edit) (done Saved, err error) {
	defer fault.Caught(&err)
	at := fault.Must(e.Resolve())
	if s.keep == nil {
		return done, fault.New(fault.Unwritable, "these records are read only").At(shown(at), 0).With("save in the repository that has them")
	}
	src, exists := s.texts[at]
	before := record.NoFile()
	if exists {
		before = record.Open(src)
	}
	after := fault.Must(e.Change(before, exists))
	if exists && after.Etag == before.Etag {
		return unchanged(at, before, textStat(src)), nil
	}
	fault.Check(s.RefuseSecrets(before.Src, after.Src))
	if e.Changed != nil {
		e.Changed(before, after)
	}
	fault.Check(s.keep(at, after.Src))
	s.texts[at] = after.Src
	done = Saved{Path: at, Before: before.Src, After: after.Src, Doc: after, Created: !exists, Stat: textStat(after.Src)}
	if e.Done != nil {
		e.Done(done)
	}
	return done, nil
}

// OpenTexts returns a store of texts in memory, by their paths, with project and config.yaml of as. It only reads, but for
// SaveEncrypted. Its folder does not exist, so that nothing is read beside the texts and no text gets to the disk.
func OpenTexts(texts map[string][]byte, as *Store) *Store {
	dir := filepath.Join(os.TempDir(), "sdd-texts-"+rand.Text())
	s := &Store{dir: dir, sdd: filepath.Join(dir, Folder), texts: texts, opt: as.opt, describe: as.describe}
	s.opt.As = as
	return s
}

func (s *Store) readText(path string) (File, error) {
	src, ok := s.texts[path]
	if !ok {
		return File{}, fault.New(fault.NotFound, "there is no file %q", shown(path)).At(shown(path), 0).With("search for its title")
	}
	return File{src, textStat(src)}, nil
}

// textStat returns the Stat of a text, which never changes.
func textStat(src []byte) Stat { return Stat{Size: int64(len(src)), Mtime: 1} }
