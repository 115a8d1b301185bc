package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
)

// Changes are watched while a client listens, and by one watch only.
func TestWatchRunsWhileNeeded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		srv := s.server(t, Options{})
		watching := func() bool {
			synctest.Wait()
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.hub != nil
		}
		one, two := connect(t, srv), connect(t, srv)
		one.hello("2025-11-25")
		if watching() {
			t.Error("watched for nobody")
		}
		one.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://note/a"}}`)
		one.next()
		two.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"resourcesListChanged":true}}}`)
		two.next()
		if !watching() {
			t.Error("not watched")
		}
		one.send(`{"jsonrpc":"2.0","id":2,"method":"resources/unsubscribe","params":{"uri":"note://note/a"}}`)
		one.next()
		if !watching() {
			t.Error("no longer watched, although one listens")
		}
		two.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"l"}}`)
		if watching() {
			t.Error("watched after the last has gone")
		}
		two.send(`{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"resourceSubscriptions":["note://note/b"]}}}`)
		two.next()
		if !watching() || s.watched != 2 {
			t.Errorf("watched %d times", s.watched)
		}
		two.rest()
		one.rest()
		if watching() {
			t.Error("watched after all clients have gone")
		}
	})
}

// A subscription fails when the watch does.
func TestWatchThatFails(t *testing.T) {
	c := newShelf().catalog()
	c.Watch = func(context.Context, *Hub) error { return errors.New("no more descriptors in /home/someone") }
	srv, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := connect(t, srv)
	l.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://note/a"}}`)
	if r := l.next(); r.Error == nil || r.Error.Code != mcp.INTERNAL_ERROR && r.Error.Code != mcp.RESOURCE_NOT_FOUND {
		t.Errorf("%+v", r)
	}
	l.send(`{"jsonrpc":"2.0","id":2,"method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"resourcesListChanged":true}}}`)
	if r := l.next(); r.Error == nil || r.Error.Code != mcp.INTERNAL_ERROR {
		t.Errorf("%+v", r)
	}
	l.send(`{"jsonrpc":"2.0","id":3,"method":"resources/list"}`)
	if r := l.next(); r.Error != nil {
		t.Errorf("the list depends on the watch: %+v", r.Error)
	}
}

// However clients come and go while notes change, everybody gets what they asked for and nothing else.
func TestHubUnderChange(t *testing.T) {
	s := newShelf()
	srv := s.server(t, Options{})
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-stop:
				return
			default:
				s.put("a", fmt.Sprint(i))
				s.put("b", fmt.Sprint(i))
			}
		}
	})
	var clients sync.WaitGroup
	for n := range 6 {
		clients.Go(func() {
			l := connect(t, srv)
			for round := range 20 {
				id := fmt.Sprintf(`"%d-%d"`, n, round)
				l.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"subscriptions/listen","params":{` + modernMeta + `,"notifications":{"resourceSubscriptions":["note://note/a"]}}}`)
				first := true
				for news := 0; news < 3; {
					r := l.next()
					var p struct {
						URI  string
						Meta map[string]json.RawMessage `json:"_meta"`
					}
					if err := json.Unmarshal(r.Params, &p); err != nil {
						t.Errorf("%+v: %v", r, err)
						return
					}
					if got := string(p.Meta[mcp.MetaKeySubscriptionID]); got != id {
						continue // of the stream before, sent before it was cancelled
					}
					if first != (r.Method == "notifications/subscriptions/acknowledged") || !first && p.URI != "note://note/a" {
						t.Errorf("first %v: %+v", first, r)
						return
					}
					if first = false; r.Method == "notifications/resources/updated" {
						news++
					}
				}
				l.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":` + id + `}}`)
			}
			l.rest()
		})
	}
	clients.Wait()
	close(stop)
	wg.Wait()
}

func TestTooManyStreams(t *testing.T) {
	l := connect(t, newShelf().server(t, Options{}))
	refused := 0
	for i := range MaxStreams + 3 {
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"subscriptions/listen","params":{%s,"notifications":{"resourcesListChanged":true}}}`, i, modernMeta))
		if r := l.next(); r.Error != nil {
			refused++
		}
	}
	if refused != 3 {
		t.Errorf("%d were refused", refused)
	}
	lines, err := l.rest()
	if err != nil || len(lines) != MaxStreams {
		t.Errorf("%d streams were ended in good order, %v", len(lines), err)
	}
}
