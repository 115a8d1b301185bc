package journal

import (
	"bytes"
	"fmt"
)

// Stat identifies one state of a file without reading it.
type Stat struct {
	Size  int64  `json:"size"`
	Mtime int64  `json:"mtime"` // times in nanoseconds since 1970
	Ctime int64  `json:"ctime"`
	Ino   uint64 `json:"ino"`
}

// Written describes the file that a tool's save left at a path.
type Written struct {
	Record string // its id
	Title  string
	Etag   string
	Head   []byte // the start of the file: the front matter, if it has all of that; see record.Front

	News *Ref // the entry, if another process made it since this one began
}

// Left returns the file that the last save of a tool left at path, if the file there has this state.
func (j *Journal) Left(path string, now Stat) (Written, bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	saved, ok := j.left(path, now)
	if !ok { // entries that the process has read need no new look at the journal, even when many files changed
		j.refresh()
		saved, ok = j.left(path, now)
	}
	return saved, ok
}

func (j *Journal) left(path string, now Stat) (saved Written, ok bool) {
	n, ok := j.lastAt(path)
	if !ok {
		return saved, false
	}
	m := j.entries[n]
	line, ok := j.line(m.Ref)
	if !ok {
		return saved, false
	}
	h, ok := parseHead(line)
	if !ok || h.path != path {
		return saved, false
	}
	if saved, ok = parseState(line, now); !ok {
		return saved, false
	}
	saved.Record, saved.Etag = h.record, h.after
	if !m.own && !m.olderThan(j.began) {
		saved.News = &m.Ref
	}
	return saved, true
}

// parseState reads the title and the head in a line that has both and that state.
func parseState(line []byte, state Stat) (saved Written, ok bool) {
	_, rest, ok := bytes.Cut(line, fmt.Appendf(nil, `,"state":{"size":%d,"mtime":%d,"ctime":%d,"ino":%d},"title":`,
		state.Size, state.Mtime, state.Ctime, state.Ino)) // quotation marks in texts are escaped
	if !ok {
		return Written{}, false
	}
	title, n, ok := firstString(rest)
	if !ok {
		return Written{}, false
	}
	rest, ok = bytes.CutPrefix(rest[n:], []byte(`,"head":`))
	head, _, ok2 := firstString(rest)
	return Written{Title: title, Head: []byte(head)}, ok && ok2 && title != "" && head != ""
}
