package transport

import (
	"encoding/json"
	"maps"
	"slices"
)

// What the tests of package transport_test know of this one.

const (
	DrainTime   = drainTime
	GraceTime   = graceTime
	MaxMessage  = maxMessage
	MaxValues   = maxValues
	MaxRunning  = maxRunning
	MaxStreams  = maxStreams
	ProgressGap = progressGap
	TypeEvents  = typeEvents
	TypeJSON    = typeJSON
)

// KeyOf returns what equal ids share.
func KeyOf(id json.RawMessage) (string, error) {
	_, key, err := readID(id)
	return key, err
}

// Parse reads a line.
func Parse(line []byte) (isRequest bool, key, method string, ok bool) {
	m, bad := parseMessage(line)
	if bad != nil {
		return false, "", "", false
	}
	return m.method != "" && m.id != nil, m.key, m.method, true
}

// Addr is where the server listens.
func (h *HTTP) Addr() string { return h.listener.Addr().String() }

// Held is how many bytes of messages and answers are in memory.
func (h *HTTP) Held() int64 { return h.held.Load() }

// Connections counts the connections that are to be drained.
func (h *HTTP) Connections() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

// Sessions counts the sessions at a path.
func (h *HTTP) Sessions(path string) int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.mounts[path].sessions)
}

// Expire does what the sessions' timers do.
func (h *HTTP) Expire(path string) {
	h.mu.Lock()
	ids := slices.Collect(maps.Keys(h.mounts[path].sessions))
	h.mu.Unlock()
	for _, id := range ids {
		h.endSession(h.mounts[path], id, true)
	}
}
