package grep

import (
	"bytes"
	"encoding/binary"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// rawDir is the descriptor of a folder. A file takes three calls, and the kernel lists the kinds of files with their names.
type rawDir int

// pageSize is the least part in which the kernel reads a regular file: where a read ends inside a page, the file ends.
const pageSize = 4096

// noOpenat2 is set where the kernel, or a sandbox, does not allow the call.
var noOpenat2 atomic.Bool

// openDir opens the folder at p, "" for the top. The kernel refuses links in the path and paths that lead out.
func (t *Tree) openDir(p string) (dir, error) {
	if noOpenat2.Load() {
		return t.openRootDir(p)
	}
	if p == "" {
		p = "."
	}
	how := unix.OpenHow{
		Flags:   unix.O_RDONLY | unix.O_DIRECTORY | unix.O_CLOEXEC,
		Resolve: unix.RESOLVE_BENEATH | unix.RESOLVE_NO_SYMLINKS | unix.RESOLVE_NO_MAGICLINKS,
	}
	fd, err := again(func() (int, error) { return unix.Openat2(int(t.top.Fd()), p, &how) })
	switch err {
	case nil:
		return rawDir(fd), nil
	case unix.ENOSYS, unix.EPERM:
		noOpenat2.Store(true)
		return t.openRootDir(p)
	case unix.EAGAIN: // another process renamed a folder of the path
		return t.openRootDir(p)
	}
	return nil, err
}

// again repeats a call that a signal interrupted.
func again(call func() (int, error)) (int, error) {
	for {
		if n, err := call(); err != unix.EINTR {
			return n, err
		}
	}
}

func (d rawDir) Close() error { return unix.Close(int(d)) }

// direntName is where the name begins in what the kernel writes of an entry: inode, offset, length, kind.
const direntName = 8 + 8 + 2 + 1

func (d rawDir) entries() ([]entry, error) {
	var out []entry
	buf := make([]byte, 32<<10)
	for {
		n, err := again(func() (int, error) { return unix.Getdents(int(d), buf) })
		if err != nil || n <= 0 {
			return out, err
		}
		for rest := buf[:n]; len(rest) > direntName; {
			size := int(binary.NativeEndian.Uint16(rest[16:]))
			if size <= direntName || size > len(rest) {
				break
			}
			kind, name := rest[18], rest[direntName:size]
			rest = rest[size:]
			if end := bytes.IndexByte(name, 0); end >= 0 {
				name = name[:end]
			}
			if string(name) == "." || string(name) == ".." {
				continue
			}
			e := entry{name: string(name)}
			if kind == unix.DT_UNKNOWN { // as some file systems return
				kind = d.kind(e.name)
			}
			if e.folder = kind == unix.DT_DIR; e.folder || kind == unix.DT_REG {
				out = append(out, e)
			}
		}
	}
}

// kind asks for the kind of an entry.
func (d rawDir) kind(name string) byte {
	var st unix.Stat_t
	if unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW) != nil {
		return unix.DT_UNKNOWN
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return unix.DT_DIR
	case unix.S_IFREG:
		return unix.DT_REG
	}
	return unix.DT_UNKNOWN
}

func (d rawDir) read(name string, buf *[]byte) []byte {
	// O_NONBLOCK: a pipe in the file's place must not block.
	fd, err := again(func() (int, error) {
		return unix.Openat(int(d), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	if cap(*buf) == 0 {
		*buf = make([]byte, firstBuffer)
	}
	b, n := (*buf)[:cap(*buf)], 0
	for {
		if n == len(b) {
			if n > maxFile || !fits(fd) { // no device either
				return nil
			}
			*buf = append(b, make([]byte, len(b))...)
			b = (*buf)[:cap(*buf)]
		}
		m, err := again(func() (int, error) { return unix.Read(fd, b[n:]) })
		if err != nil {
			return nil
		}
		n += m
		if m == 0 || n < len(b) && n%pageSize != 0 {
			break
		}
	}
	if n == 0 || n > maxFile {
		return nil
	}
	return b[:n]
}

func fits(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFREG && st.Size <= maxFile
}
