package transport

import (
	"testing"
	"time"
)

// A session that is in use does not expire.
func TestSessionsExpire(t *testing.T) {
	s := newSessions()
	old, busy := &conn{id: "old"}, &conn{id: "busy"}
	s.add(old, 9)
	id, _ := s.add(busy, 9)
	_, leave := s.enter(id)
	if got := s.expired(time.Now().Add(time.Hour)); len(got) != 1 || got[0] != old {
		t.Errorf("%v", got)
	}
	leave()
	if got := s.expired(time.Now().Add(-time.Hour)); len(got) != 0 {
		t.Errorf("%v", got)
	}
	if got := s.expired(time.Now().Add(time.Hour)); len(got) != 1 || got[0] != busy || len(s.byID) != 0 {
		t.Errorf("%v", got)
	}
}
