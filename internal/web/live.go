package web

import (
	"cmp"
	"context"
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
	run     string        // of this server, so that the stamps of servers differ
	streams chan struct{} // has an element for each open stream
	over    context.Context
	end     context.CancelFunc // ends all streams

	mu      sync.Mutex
	count   int           // changes so far
	changed chan struct{} // closed by the next change
}

func newLive() *live {
	l := &live{run: rand.Text()[:6], streams: make(chan struct{}, maxStreams), changed: make(chan struct{})}
	l.over, l.end = context.WithCancel(context.Background())
	return l
}

// seen reports whether any stream is open.
func (l *live) seen() bool { return len(l.streams) > 0 }

func (l *live) tell() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.count++
	close(l.changed)
	l.changed = make(chan struct{})
}

// stamp identifies the present state.
func (l *live) stamp() string {
	stamp, _ := l.state()
	return stamp
}

// state returns the stamp and what closes when it changes.
func (l *live) state() (string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return fmt.Sprintf("%s-%d", l.run, l.count), l.changed
}

// stream sends an event with the new stamp after every change of records.
func (l *live) stream(w http.ResponseWriter, r *http.Request) {
	select {
	case l.streams <- struct{}{}:
		defer func() { <-l.streams }()
	default:
		http.Error(w, "too many pages are open", http.StatusServiceUnavailable)
		return
	}
	out := http.NewResponseController(w)
	if out.SetReadDeadline(time.Time{}) != nil || out.SetWriteDeadline(time.Time{}) != nil {
		http.Error(w, "this connection cannot stream", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	shown := cmp.Or(r.Header.Get("Last-Event-ID"), r.URL.Query().Get("since")) // the browser sends the first when it reconnects
	beat := time.NewTicker(heartbeat)
	defer beat.Stop()
	text := "retry: 2000\n\n"
	for {
		stamp, changed := l.state()
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
		case <-l.over.Done():
			return
		case <-r.Context().Done():
			return
		}
	}
}
