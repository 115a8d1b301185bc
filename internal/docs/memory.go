package docs

import (
	"container/list"
	"sync"
)

// memory keeps the values used last, by their keys, up to a limit of their sizes. Several goroutines may use it.
type memory[V any] struct {
	limit int

	mu    sync.Mutex
	size  int
	order list.List // of remembered[V], the last used first
	by    map[string]*list.Element
}

type remembered[V any] struct {
	key, stamp string
	value      V
	size       int
}

// get returns the value of a key that was put with the same stamp, which changes when the value's source does.
func (m *memory[V]) get(key, stamp string) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.by[key]
	if e == nil || e.Value.(remembered[V]).stamp != stamp {
		return v, false
	}
	m.order.MoveToFront(e)
	return e.Value.(remembered[V]).value, true
}

// put keeps a value, and always the last one, whatever its size.
func (m *memory[V]) put(key, stamp string, v V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.by == nil {
		m.by = map[string]*list.Element{}
	}
	drop := func(e *list.Element) {
		r := m.order.Remove(e).(remembered[V])
		delete(m.by, r.key)
		m.size -= r.size
	}
	if old := m.by[key]; old != nil {
		drop(old)
	}
	m.by[key] = m.order.PushFront(remembered[V]{key, stamp, v, size})
	for m.size += size; m.size > m.limit && m.order.Len() > 1; {
		drop(m.order.Back())
	}
}
