package docs

import (
	"slices"
	"sync"
)

// memory keeps the values used last, by their keys, up to a limit of their sizes. Several goroutines may use it.
type memory[V any] struct {
	limit int

	mu   sync.Mutex
	size int
	kept []remembered[V] // the last used at the end
}

type remembered[V any] struct {
	key, stamp string
	value      V
	size       int
}

// take removes the value of a key and returns it. The caller holds mu.
func (m *memory[V]) take(key string) (r remembered[V], ok bool) {
	at := slices.IndexFunc(m.kept, func(r remembered[V]) bool { return r.key == key })
	if at < 0 {
		return r, false
	}
	r = m.kept[at]
	m.kept = slices.Delete(m.kept, at, at+1)
	m.size -= r.size
	return r, true
}

// get returns the value of a key that was put with the same stamp, which changes when the value's source does.
func (m *memory[V]) get(key, stamp string) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.take(key)
	if !ok || r.stamp != stamp {
		return v, false
	}
	m.kept = append(m.kept, r)
	m.size += r.size
	return r.value, true
}

// put keeps a value, and always the last one, whatever its size.
func (m *memory[V]) put(key, stamp string, v V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take(key)
	m.kept = append(m.kept, remembered[V]{key, stamp, v, size})
	for m.size += size; m.size > m.limit && len(m.kept) > 1; {
		m.take(m.kept[0].key)
	}
}
