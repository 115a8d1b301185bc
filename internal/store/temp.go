package store

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
)

// Names in .local/tmp describe the file, so that a process that finds it after a crash can
// handle it (see recover.go):
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
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
}

// write creates the file name with these bytes, with the mode and owner of like unless that is nil. If now is false,
// sync syncs it later. After an error the file does not exist.
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
		if e := f.Close(); err == nil {
			err = e
		}
		if err != nil {
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
