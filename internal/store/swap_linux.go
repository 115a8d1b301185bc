package store

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// exchange puts the file tmp in the place of name and keeps the former file as old, in one step.
func (t *tree) exchange(from *dir, tmp, old string, to *dir, name string) error {
	// A file that a crash left under the second name may be the user's text.
	if err := renameat2(from, tmp, from, old, unix.RENAME_NOREPLACE); err != nil {
		if missing(err) {
			return exchangeByLink(t, from, tmp, old, to, name)
		}
		return err
	}
	err := renameat2(from, old, to, name, unix.RENAME_EXCHANGE)
	if err == nil {
		return nil
	}
	if back := renameat2(from, old, from, tmp, unix.RENAME_NOREPLACE); back != nil {
		return errors.Join(err, back)
	}
	if missing(err) {
		return exchangeByLink(t, from, tmp, old, to, name)
	}
	return err
}

// place puts the file tmp at a free name. It returns fs.ErrExist if the name is taken.
func (t *tree) place(from *dir, tmp string, to *dir, name string) error {
	err := renameat2(from, tmp, to, name, unix.RENAME_NOREPLACE)
	if missing(err) {
		return placeByLink(t, from, tmp, to, name)
	}
	return err
}

// move renames a file from one open folder to another, replacing any file there.
func (t *tree) move(from *dir, name string, to *dir, as string) error {
	return renameat2(from, name, to, as, 0)
}

// renameat2Call is the call; tests stand in for file systems that lack it.
var renameat2Call = unix.Renameat2

func renameat2(from *dir, name string, to *dir, as string, flags uint) error {
	err := renameat2Call(int(from.file.Fd()), name, int(to.file.Fd()), as, flags)
	if err != nil {
		return &os.LinkError{Op: "rename", Old: from.rel + "/" + name, New: to.rel + "/" + as, Err: err}
	}
	return nil
}

// missing reports whether the file system lacks the call.
func missing(err error) bool {
	return errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EOPNOTSUPP)
}
