package web

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	maxStreams = 64
	heartbeat  = 20 * time.Second
)

// live notifies open pages of changed records. Every page contains the stamp of its state; a stream that
// starts with an older stamp gets an event at once, so that the page misses no change.
type live struct {
	run string // of this server, so that the stamps of servers differ

	mu      sync.Mutex
	count   int           // changes so far
	changed chan struct{} // closed by the next change
	over    bool
	streams int
}

func newLive() *live {
	return &live{run: rand.Text()[:6], changed: make(chan struct{})}
}

// seen reports whether any stream is open.
func (l *live) seen() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.streams > 0
}

func (l *live) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return
	}
	l.count++
	close(l.changed)
	l.changed = make(chan struct{})
}

// end ends all streams.
func (l *live) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.over {
		l.over = true
		close(l.changed)
	}
}

// stamp identifies the present state.
func (l *live) stamp() string {
	stamp, _, _ := l.state()
	return stamp
}

func (l *live) state() (stamp string, changed <-chan struct{}, over bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%s-%d", l.run, l.count), l.changed, l.over
}

func (l *live) enter() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over || l.streams == maxStreams {
		return false
	}
	l.streams++
	return true
}

func (l *live) leave() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.streams--
}

// stream sends an event with the new stamp after every change of records.
func (l *live) stream(w http.ResponseWriter, r *http.Request) {
	if !l.enter() {
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	defer l.leave()
	out := http.NewResponseController(w)
	if out.SetReadDeadline(time.Time{}) != nil || out.SetWriteDeadline(time.Time{}) != nil {
		http.Error(w, "this connection cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	shown := r.URL.Query().Get("since")
	if last := r.Header.Get("Last-Event-ID"); last != "" { // the browser reconnects
		shown = last
	}
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	text := "retry: 2000\n\n"
	for {
		stamp, changed, over := l.state()
		if over {
			return
		}
		if stamp != shown {
			shown = stamp
			text += "id: " + stamp + "\nevent: change\ndata: " + stamp + "\n\n"
		}
		_ = out.SetWriteDeadline(time.Now().Add(heartbeat))
		if _, err := w.Write([]byte(text)); err != nil || out.Flush() != nil {
			return
		}
		select {
		case <-changed:
			text = ""
		case <-beat.C:
			text = ": still here\n\n"
		case <-r.Context().Done():
			return
		}
	}
}
