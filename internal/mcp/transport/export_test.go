package transport

import "encoding/json"

// What the tests of package transport_test know of this one.

const (
	DrainTime   = drainTime
	GraceTime   = graceTime
	MaxMessage  = maxMessage
	MaxParams   = maxParams
	MaxRunning  = maxRunning
	MaxStreams  = maxStreams
	MaxWaiting  = maxWaiting
	ProgressGap = progressGap
	TypeEvents  = typeEvents
	TypeJSON    = typeJSON
)

var ErrBatch = errBatch

// KeyOf returns what equal ids share.
func KeyOf(id json.RawMessage) (string, error) {
	_, key, err := readID(id)
	return key, err
}

// Parse reads a line.
func Parse(line []byte) (isRequest bool, key, method string, err error) {
	m, err := parseMessage(line)
	if err != nil {
		return false, "", "", err
	}
	return m.method != "" && m.id != nil, m.key, m.method, nil
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
func (h *HTTP) Sessions(path string) int { return len(h.mounts[path].sessions.byID) }
