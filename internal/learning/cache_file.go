package learning

import (
	"encoding/binary"
	"hash/crc32"
	"maps"
	"slices"

	"sdd/internal/record"
	"sdd/internal/store"
)

// The cache on disk: the ideas by the etag of their files, and what the commits say of them. Whatever is wrong
// with it, it is as if there were none. It also tells the next process what it has not seen happen.

const (
	cacheName  = "book"
	cacheMagic = "sddbook2"
	mostCache  = 256 << 20
)

// fields are the texts of an idea in the order of the file.
func (i *Idea) fields() []*string {
	return []*string{&i.path, &i.Etag, &i.ID, &i.Color, &i.Status, &i.Title, &i.Content, &i.Scope, &i.Parent, &i.Impact, &i.Category,
		&i.SupersededBy, &i.Created, &i.DoneAt, &i.ArchivedAt, &i.ArchivedReason, &i.ResurrectedAt, &i.ResurrectedBy,
		&i.OutdatedReason, &i.OutdatedCommit, &i.ValidatedAt, &i.Imported, &i.File}
}

func (i *Idea) lists() []*[]string { return []*[]string{&i.Agents, &i.AppliedTo, &i.Aliases, &i.files} }

func (i *Idea) flags() []*bool { return []*bool{&i.Validated, &i.broken, &i.white} }

// hand writes the cache for the next process.
func (b *cache) hand() {
	b.state.RLock()
	defer b.state.RUnlock()
	if !b.dirty {
		return
	}
	dir, err := b.l.st.Private(localFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	out := []byte(cacheMagic)
	text := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	text(b.head)
	out = binary.AppendUvarint(out, uint64(len(b.files.All)))
	for _, path := range slices.Sorted(maps.Keys(b.files.All)) {
		i := b.files.All[path]
		for _, f := range i.fields() {
			text(*f)
		}
		for _, l := range i.lists() {
			out = binary.AppendUvarint(out, uint64(len(*l)))
			for _, s := range *l {
				text(s)
			}
		}
		for _, f := range i.flags() {
			if *f {
				out = append(out, 1)
			} else {
				out = append(out, 0)
			}
		}
		v := b.commits[path]
		text(v.Basis)
		text(v.Commit)
		text(v.File)
	}
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	store.WriteWhole(dir, cacheName, out, false)
}

// restore reads the cache that another process left: its ideas by path. found is false when there is none.
func (b *cache) restore() (ideas map[string]*Idea, found bool) {
	dir, err := b.l.st.Private(localFolder, false)
	if err != nil {
		return nil, false
	}
	defer dir.Close()
	if st, err := dir.Stat(cacheName); err != nil || st.Size() > mostCache {
		return nil, false
	}
	src, err := dir.ReadFile(cacheName)
	n := len(src) - 4
	if err != nil || n < len(cacheMagic) || string(src[:len(cacheMagic)]) != cacheMagic || binary.LittleEndian.Uint32(src[n:]) != crc32.ChecksumIEEE(src[:n]) {
		return nil, false
	}
	r := &cacheReader{src: string(src[len(cacheMagic):n])}
	head, count := r.text(), r.number()
	ideas, commits := make(map[string]*Idea, count), map[string]commitVerdict{}
	for range count {
		i := &Idea{}
		for _, f := range i.fields() {
			*f = r.text()
		}
		for _, l := range i.lists() {
			for range r.number() {
				*l = append(*l, r.text())
			}
		}
		for _, f := range i.flags() {
			*f = r.byte() == 1
		}
		i.created = record.Moment(i.Created)
		v := commitVerdict{r.text(), r.text(), r.text()}
		if v.Basis != "" {
			commits[i.path] = v
		}
		ideas[i.path] = i
	}
	if r.bad {
		return nil, false
	}
	b.state.Lock()
	b.head, b.commits = head, commits
	b.state.Unlock()
	return ideas, true
}

// cacheReader reads what hand wrote. Texts are parts of one string.
type cacheReader struct {
	src string
	bad bool
}

func (r *cacheReader) number() int {
	n, shift := uint64(0), 0
	for {
		c := r.byte()
		n |= uint64(c&0x7f) << shift
		if shift += 7; c < 0x80 {
			break
		}
		if shift > 56 {
			r.bad = true
			break
		}
	}
	if n > uint64(len(r.src)) { // every thing that is counted takes a byte
		r.bad = true
		return 0
	}
	return int(n)
}

func (r *cacheReader) byte() byte {
	if r.src == "" {
		r.bad = true
		return 0
	}
	c := r.src[0]
	r.src = r.src[1:]
	return c
}

func (r *cacheReader) text() string {
	n := r.number()
	s := r.src[:n]
	r.src = r.src[n:]
	return s
}
