package transport

import (
	"context"
	"crypto/rand"
	"time"
)

// session is a client that sent initialize.
type session struct {
	conn   *conn
	busy   int       // running exchanges
	seen   time.Time // when the last exchange began or ended
	idle   *time.Timer
	stream context.CancelFunc // ends its GET stream
}

// addSession gives c an id. At the limit it ends the session that was idle for the longest; if none is idle, id is "".
func (h *HTTP) addSession(m *mount, c *conn) (id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(m.sessions) >= h.Limits.Sessions {
		var oldest string
		for id, s := range m.sessions {
			if s.busy == 0 && (oldest == "" || s.seen.Before(m.sessions[oldest].seen)) {
				oldest = id
			}
		}
		if oldest == "" {
			return ""
		}
		go h.close(m.sessions[oldest].conn)
		delete(m.sessions, oldest)
	}
	id = rand.Text()
	m.sessions[id] = &session{conn: c, seen: time.Now(), idle: time.AfterFunc(h.Limits.Idle, func() { h.endSession(m, id, true) })}
	return id
}

// enter returns the session with that id, nil if none has it. The session is in use until the caller calls leave.
func (h *HTTP) enter(m *mount, id string) (s *session, leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s = m.sessions[id]; s == nil {
		return nil, nil
	}
	s.busy++
	s.seen = time.Now()
	return s, func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		s.busy--
		s.seen = time.Now()
		s.idle.Reset(h.Limits.Idle)
	}
}

// endSession ends the session with that id; if onlyIdle is true, only when it is not in use.
func (h *HTTP) endSession(m *mount, id string, onlyIdle bool) {
	h.mu.Lock()
	s := m.sessions[id]
	if s == nil || onlyIdle && s.busy > 0 {
		h.mu.Unlock()
		return
	}
	delete(m.sessions, id)
	s.idle.Stop()
	h.mu.Unlock()
	h.close(s.conn)
}

// replaceStream ends the session's earlier stream, since a client that opens another one has lost it, even if the server
// has not noticed.
func (h *HTTP) replaceStream(s *session, end context.CancelFunc) {
	h.mu.Lock()
	before := s.stream
	s.stream = end
	h.mu.Unlock()
	if before != nil {
		before()
	}
}
