package transport

import (
	"context"
	"crypto/rand"
	"sync"
	"time"
)

// sessions are the clients of one store that sent initialize, by the id that the server gave them. An id works like a
// password: no log contains it.
type sessions struct {
	mu   sync.Mutex
	byID map[string]*httpSession
}

// httpSession is one session.
type httpSession struct {
	conn   *conn
	busy   int       // running exchanges
	seen   time.Time // when the last exchange began or ended
	stream context.CancelFunc
}

func newSessions() *sessions { return &sessions{byID: map[string]*httpSession{}} }

// add stores a session and returns its id. At the limit it removes the session that was idle for the longest and returns
// it for the caller to close; if none is idle, id is "".
func (s *sessions) add(c *conn, limit int) (id string, out *conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.byID) >= limit {
		var oldest string
		for id, g := range s.byID {
			if g.busy == 0 && (oldest == "" || g.seen.Before(s.byID[oldest].seen)) {
				oldest = id
			}
		}
		if oldest == "" {
			return "", nil
		}
		out = s.byID[oldest].conn
		delete(s.byID, oldest)
	}
	id = rand.Text()
	s.byID[id] = &httpSession{conn: c, seen: time.Now()}
	return id, out
}

// enter returns the session with that id, nil if none has it. The session is in use until the
// caller calls leave.
func (s *sessions) enter(id string) (g *httpSession, leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if g = s.byID[id]; g == nil {
		return nil, nil
	}
	g.busy++
	g.seen = time.Now()
	return g, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		g.busy--
		g.seen = time.Now()
	}
}

// remove removes the sessions for which ends is true, and returns them for the caller to close.
func (s *sessions) remove(ends func(id string, g *httpSession) bool) (out []*conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, g := range s.byID {
		if ends(id, g) {
			out = append(out, g.conn)
			delete(s.byID, id)
		}
	}
	return out
}

// expired removes the sessions without a use since then, and returns them for the caller to close.
func (s *sessions) expired(since time.Time) []*conn {
	return s.remove(func(_ string, g *httpSession) bool { return g.busy == 0 && g.seen.Before(since) })
}

// replaceStream ends the session's earlier stream, since a client that opens another one has lost it, even if the server
// has not noticed.
func (s *sessions) replaceStream(g *httpSession, end context.CancelFunc) {
	s.mu.Lock()
	before := g.stream
	g.stream = end
	s.mu.Unlock()
	if before != nil {
		before()
	}
}
