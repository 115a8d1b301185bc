package store

import (
	"cmp"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
)

// Names in .local/tmp describe the file, so that a process that finds it after a crash can handle it (see recover.go):
//
//	new-<shard>-<nonce>-<etag before>-<etag after>-<path>   being written, never in place
//	old-<shard>-<nonce>-<etag before>-<etag after>-<path>   about to be exchanged, or what came out
//
// The shard is that of the lock under which the file was made: a process that gets that lock knows
// that the maker is done or dead. In the path a slash is written as "=s" and "=" as "==".
type tempName struct {
	displaced     bool
	shard         uint8
	nonce         string
	before, after string
	path          string // "" when it would make the name too long
}

var (
	toTempName   = strings.NewReplacer("=", "==", "/", "=s")
	fromTempName = strings.NewReplacer("==", "=", "=s", "/")
)

func (n tempName) String() string {
	kind := "new"
	if n.displaced {
		kind = "old"
	}
	head := fmt.Sprintf("%s-%02x-%s-%s-%s-", kind, n.shard, n.nonce, n.before, n.after)
	p := toTempName.Replace(n.path)
	if len(head)+len(p) > 250 {
		p = ""
	}
	return head + p
}

func parseTempName(name string) (n tempName, ok bool) {
	parts := strings.SplitN(name, "-", 6)
	if len(parts) != 6 || parts[0] != "new" && parts[0] != "old" {
		return tempName{}, false
	}
	sh, err := strconv.ParseUint(parts[1], 16, 8)
	if err != nil {
		return tempName{}, false
	}
	p := fromTempName.Replace(parts[5])
	return tempName{parts[0] == "old", uint8(sh), parts[2], parts[3], parts[4], p}, true
}

// nonce returns a text that no other call of any process returns.
func (s *Store) nonce() string { return s.proc + strconv.FormatUint(s.seq.Add(1), 36) }

// temp is a file that a save has written to a private folder.
type temp struct {
	stat Stat
	file *os.File // open as long as the file may not be on disk
}

// sync waits until the file is on disk.
func (t *temp) sync() error {
	if t.file == nil {
		return nil
	}
	defer t.close()
	return t.file.Sync()
}

func (t *temp) close() {
	t.file.Close()
	t.file = nil
}

// write creates a file, with the mode and owner of like unless that is nil; unless now, sync syncs it later. An error leaves no file.
func (d *dir) write(name string, data []byte, like fs.FileInfo, now bool) (t temp, err error) {
	perm := fs.FileMode(0o644)
	if like != nil {
		perm = like.Mode().Perm()
	}
	f, err := d.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return temp{}, err
	}
	defer func() {
		if err = cmp.Or(err, f.Close()); err != nil {
			t.close()
			d.Remove(name)
		}
	}()
	if _, err := f.Write(data); err != nil {
		return temp{}, err
	}
	fi, err := f.Stat()
	if err != nil {
		return temp{}, err
	}
	if like != nil {
		if err := resemble(f, fi, like); err != nil {
			return temp{}, err
		}
	}
	t = temp{stat: statOf(fi)}
	if now {
		return t, f.Sync()
	}
	// A second handle, for reading: while this one is open for writing every reader would wait for a save.
	t.file, err = d.Open(name)
	return t, err
}

// exchange moves a record's file into the private folder under the name old, and a finished file into its place; the record is never
// missing or half written. place never replaces a file. The generic forms are for systems without the calls that do it in one step: an
// editor that renames its file into place between the link and the rename is overwritten unseen, in some microseconds.

// exchangeByLink links the present file to old, then renames tmp over it.
func exchangeByLink(t *tree, from *dir, tmp, old string, to *dir, name string) error {
	source, target := path.Join(from.rel, tmp), path.Join(to.rel, name)
	kept := path.Join(from.rel, old)
	err := t.root.Link(target, kept)
	if isErr(err, noLinks...) { // a file system without links
		var data []byte
		if data, err = to.ReadFile(name); err == nil {
			err = from.create(old, data)
		}
	}
	if err != nil {
		return err
	}
	if err := t.root.Rename(source, target); err != nil {
		t.root.Remove(kept)
		return err
	}
	return nil
}

// placeByLink links tmp to its place, which fails if a file is there, and removes tmp.
func placeByLink(t *tree, from *dir, tmp string, to *dir, name string) error {
	source, target := path.Join(from.rel, tmp), path.Join(to.rel, name)
	err := t.root.Link(source, target)
	if err == nil {
		return t.root.Remove(source)
	}
	if !isErr(err, noLinks...) {
		return err
	}
	if _, err := t.root.Lstat(target); err == nil {
		return fs.ErrExist
	}
	return t.root.Rename(source, target)
}
