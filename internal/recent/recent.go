// Package recent remembers what was worked out from the texts that were seen last. A save looks at the same few texts many
// times: what stood there, what it writes, and once more when that is indexed.
package recent

import (
	"hash/maphash"
	"sync"
)

// size is how many texts are remembered: some more than the saves and files that are under way at a time.
const size = 32

// Cache maps texts to values. The zero Cache is empty and ready; it is safe for concurrent use. A value that it returns
// must not be changed.
type Cache[V any] struct {
	mu      sync.Mutex
	entries [size]entry[V]
	next    int // the entry that goes first
}

type entry[V any] struct {
	key   Key
	value V
}

// Key stands for a text. Two texts have one key with a probability of 2⁻¹²⁸, which nobody can raise: how they are hashed
// differs from process to process.
type Key struct {
	length int
	a, b   uint64
}

var seedA, seedB = maphash.MakeSeed(), maphash.MakeSeed()

// KeyOf returns the key of a text. It takes a hundredth of the time that reading Markdown takes.
func KeyOf(text []byte) Key {
	return Key{len(text) + 1, maphash.Bytes(seedA, text), maphash.Bytes(seedB, text)}
}

// Get returns what was put for the text with that key, unless it is forgotten.
func (c *Cache[V]) Get(k Key) (v V, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i := range c.entries {
		if c.entries[i].key == k {
			return c.entries[i].value, true
		}
	}
	return v, false
}

// Put remembers v for the text with that key.
func (c *Cache[V]) Put(k Key, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[c.next] = entry[V]{k, v}
	c.next = (c.next + 1) % size
}
