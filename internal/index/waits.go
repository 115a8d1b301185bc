package index

import (
	"hash/maphash"
	"math/bits"
)

// waits are the files whose words wait to be indexed. Every save looks through them, and thousands may wait while many
// records are saved: what tells nearly all apart stands in a row. The zero waits is empty.
type waits struct {
	list []wait // in no order
	at   map[string]int
}

type wait struct {
	hash uint64 // of its id
	marks
	*unread
}

// marks tell most titles that are not near apart.
type marks struct {
	words uint64 // a bit for each word: titles without a word in common differ in bits
	hard  uint64 // of those with a digit, say: nobody writes one by mistake for another
}

var waitSeed = maphash.MakeSeed()

func marksOf(words []string) (m marks) {
	for _, w := range words {
		bit := uint64(1) << (maphash.String(waitSeed, w) & 63)
		m.words |= bit
		if !allLetters(w) {
			m.hard |= bit
		}
	}
	return m
}

// far reports that titles with these marks are not near: two words of one are not in the other, or each has a hard one that
// the other has not.
func (m marks) far(o marks) bool {
	return bits.OnesCount64(m.words&^o.words) > 1 || bits.OnesCount64(o.words&^m.words) > 1 || m.hard&^o.hard != 0 && o.hard&^m.hard != 0
}

// get returns what waits at that path, nil for nothing.
func (w *waits) get(path string) *unread {
	if i, ok := w.at[path]; ok {
		return w.list[i].unread
	}
	return nil
}

func (w *waits) has(path []byte) bool {
	_, ok := w.at[string(path)]
	return ok
}

// set makes u wait, in the place of what waits at its path.
func (w *waits) set(u *unread) {
	x := wait{maphash.String(waitSeed, u.key), marksOf(u.words), u}
	if i, ok := w.at[u.path]; ok {
		w.list[i] = x
		return
	}
	if w.at == nil {
		w.at = map[string]int{}
	}
	w.at[u.path] = len(w.list)
	w.list = append(w.list, x)
}

func (w *waits) drop(path string) {
	i, ok := w.at[path]
	if !ok {
		return
	}
	delete(w.at, path)
	end := len(w.list) - 1
	if i < end {
		w.list[i] = w.list[end]
		w.at[w.list[i].path] = i
	}
	w.list[end] = wait{}
	w.list = w.list[:end]
}

// holders calls f for what waits that has, compared as names are, the id key.
func (w *waits) holders(key string, f func(u *unread)) {
	hash := maphash.String(waitSeed, key)
	for i := range w.list {
		if x := &w.list[i]; x.hash == hash && !x.gone && x.key == key {
			f(x.unread)
		}
	}
}

// some returns n of the files at most, by path.
func (w *waits) some(n int) map[string]*unread {
	list := w.list[:min(n, len(w.list))]
	m := make(map[string]*unread, len(list))
	for _, x := range list {
		m[x.path] = x.unread
	}
	return m
}
