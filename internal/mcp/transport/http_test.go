package transport_test

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	. "sdd/internal/mcp/transport"
)

// What comes before a result is before it on the stream; without any the answer is one object.
func TestHTTPAnswers(t *testing.T) {
	h := shelfHTTP(t, newShelf(), nil)
	sess := h.hello("2025-11-25")
	if a := h.send("POST", call("1", "note_get", `{"name":"a"}`), sess); a.header.Get("Content-Type") != TypeJSON || string(a.messages(t)[0].ID) != "1" {
		t.Errorf("%+v", a)
	}
	const questionOf = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{%s"name":"count","arguments":{"to":300},"_meta":{"progressToken":"p"%s}}}`
	for name, one := range map[string]struct {
		body   string
		header map[string]string
	}{
		"session": {fmt.Sprintf(questionOf, "", ""), sess},
		"alone":   {fmt.Sprintf(questionOf, "", ","+strings.TrimSuffix(strings.TrimPrefix(modernMeta, `"_meta":{`), "}")), modern("tools/call", "count")},
	} {
		a := h.send("POST", one.body, one.header)
		got := a.messages(t)
		if a.header.Get("Content-Type") != TypeEvents || len(got) != 301 {
			t.Fatalf("%s: %d messages, %+v", name, len(got), a.header)
		}
		for i, m := range got[:300] {
			if m.Method != "notifications/progress" || !strings.Contains(string(m.Params), fmt.Sprintf(`"progress":%d,`, i+1)) {
				t.Fatalf("%s: %d is %+v", name, i, m)
			}
		}
		if string(got[300].ID) != "2" || got[300].Error != nil {
			t.Errorf("%s: %+v", name, got[300])
		}
	}
	if a := h.send("POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, sess); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("%+v", a)
	}
	if a := h.send("POST", `{"jsonrpc":"2.0","id":"ask-9","result":{}}`, sess); a.status != http.StatusAccepted || a.body != "" {
		t.Errorf("a stray answer: %+v", a)
	}
}

// A long call sends signs of life.
func TestHTTPLongCall(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.started = make(chan string, 1)
	h := shelfHTTP(t, s, func(l *Limits) { l.Plain, l.Beat = time.Millisecond, time.Millisecond })
	sess := h.hello("2025-06-18")
	a := h.open(t.Context(), "POST", call("7", "wait", `{"ms":600000}`), sess)
	r := bufio.NewReader(a.Body)
	for range 3 {
		if line, err := r.ReadString('\n'); err != nil || line != ":\n" {
			t.Fatalf("%q, %v", line, err)
		}
		if line, err := r.ReadString('\n'); err != nil || line != "\n" {
			t.Fatalf("%q, %v", line, err)
		}
	}
	// It is cancelled in another request; then the stream ends without an answer.
	h.send("POST", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`, sess)
	for {
		line, err := r.ReadString('\n')
		if strings.HasPrefix(line, "data:") {
			t.Errorf("a cancelled call was answered: %s", line)
		}
		if err != nil {
			break
		}
	}
}

// Whoever leaves a request of 2026-07-28 cancels it; an older one goes on, as its revision wants.
func TestHTTPClientThatLeaves(t *testing.T) {
	s := newShelf()
	s.started, s.finished = make(chan string, 2), make(chan string, 2)
	h := shelfHTTP(t, s, func(l *Limits) { l.Plain = time.Millisecond })
	ctx, leave := context.WithCancel(t.Context())
	h.open(ctx, "POST", modernCall("1", "wait", `{"ms":600000,"name":"modern"}`), modern("tools/call", "wait"))
	<-s.started
	sess := h.hello("2025-11-25")
	h.open(ctx, "POST", call("1", "wait", `{"ms":600000,"name":"legacy"}`), sess)
	<-s.started
	leave()
	if name := <-s.finished; name != "modern" {
		t.Errorf("%s was ended", name)
	}
	if a := h.send("DELETE", "", sess); a.status != http.StatusNoContent {
		t.Errorf("%+v", a)
	}
	if name := <-s.finished; name != "legacy" {
		t.Errorf("%s was ended", name)
	}
}

// What a session subscribed to comes on its stream, also what happened while it had none.
func TestHTTPSessionStream(t *testing.T) {
	s := newShelf()
	h := shelfHTTP(t, s, nil)
	sess := h.hello("2025-11-25")
	if a := h.send("POST", `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://note/a"}}`, sess); a.messages(t)[0].Error != nil {
		t.Fatalf("%+v", a)
	}
	s.put("a", "before")
	s.put("a", "and again")
	first := bufio.NewReader(h.open(t.Context(), "GET", "", sess).Body)
	if m := event(t, first); m.Method != mcp.MethodNotificationResourceUpdated {
		t.Errorf("%+v", m)
	}
	s.put("a", "while it is open")
	if m := event(t, first); m.Method != mcp.MethodNotificationResourceUpdated {
		t.Errorf("%+v", m)
	}
	// A client that comes again has lost its stream.
	second := bufio.NewReader(h.open(t.Context(), "GET", "", sess).Body)
	if _, err := first.ReadString(0); err == nil {
		t.Error("two streams are open")
	}
	s.put("a", "on the new one")
	if m := event(t, second); !strings.Contains(string(m.Params), "note://note/a") {
		t.Errorf("%+v", m)
	}
	h.send("DELETE", "", sess)
	if _, err := second.ReadString(0); err == nil {
		t.Error("the stream outlives its session")
	}
	if a := h.send("GET", "", sess); a.status != http.StatusNotFound {
		t.Errorf("%+v", a)
	}
	until(t, "nobody watches", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hub == nil
	})
}

func TestHTTPListen(t *testing.T) {
	s := newShelf()
	h := shelfHTTP(t, s, nil)
	ctx, leave := context.WithCancel(t.Context())
	a := h.open(ctx, "POST", `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{`+modernMeta+`,"notifications":{"resourceSubscriptions":["note://note/a"]}}}`, modern("subscriptions/listen", ""))
	r := bufio.NewReader(a.Body)
	if m := event(t, r); m.Method != mcp.MethodNotificationSubscriptionsAcknowledged {
		t.Fatalf("%+v", m)
	}
	s.put("b", "not asked for")
	s.put("a", "changed")
	if m := event(t, r); !strings.Contains(string(m.Params), `"note://note/a"`) || !strings.Contains(string(m.Params), `"io.modelcontextprotocol/subscriptionId":"l"`) {
		t.Errorf("%+v", m)
	}
	leave()
	until(t, "nobody watches", func() bool {
		s.mu.Lock()
		defer s.mu.Unlock()
		return s.hub == nil
	})
}

// The header of a request must agree with its message.
func TestHTTPModernHeader(t *testing.T) {
	h := shelfHTTP(t, newShelf(), nil)
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + modernMeta + `}}`
	read := `{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{` + modernMeta + `,"uri":"note://note/日本"}}`
	for name, one := range map[string]struct {
		body   string
		header map[string]string
		status int
		code   int
	}{
		"good":             {list, modern("tools/list", ""), 200, 0},
		"with a session":   {list, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Mcp-Session-Id": "any"}, 200, 0},
		"encoded name":     {read, modern("resources/read", "=?base64?bm90ZTovL25vdGUv5pel5pys?="), 200, 0},
		"bad encoding":     {read, modern("resources/read", "=?base64?!?="), 400, mcp.HEADER_MISMATCH},
		"no version":       {list, map[string]string{"Mcp-Method": "tools/list"}, 400, mcp.HEADER_MISMATCH},
		"no method":        {list, map[string]string{"Mcp-Protocol-Version": "2026-07-28"}, 400, mcp.HEADER_MISMATCH},
		"other method":     {list, modern("tools/call", ""), 400, mcp.HEADER_MISMATCH},
		"other name":       {modernCall("1", "note_put", `{"name":"a","text":"x"}`), modern("tools/call", "note_get"), 400, mcp.HEADER_MISMATCH},
		"older version":    {list, map[string]string{"Mcp-Protocol-Version": "2025-11-25", "Mcp-Method": "tools/list"}, 400, mcp.HEADER_MISMATCH},
		"nothing in _meta": {`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, modern("tools/list", ""), 400, mcp.INVALID_PARAMS},
		"future":           {strings.Replace(list, "2026-07-28", "2031-01-01", 1), map[string]string{"Mcp-Protocol-Version": "2031-01-01", "Mcp-Method": "tools/list"}, 400, mcp.UNSUPPORTED_PROTOCOL_VERSION},
		"past":             {`{"jsonrpc":"2.0","id":1,"method":"ping"}`, map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, 400, mcp.UNSUPPORTED_PROTOCOL_VERSION},
		"resumed":          {list, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list", "Last-Event-ID": "4"}, 400, mcp.HEADER_MISMATCH},
		"unknown method":   {strings.Replace(list, "tools/list", "tools/lost", 1), modern("tools/lost", ""), 404, mcp.METHOD_NOT_FOUND},
	} {
		a := h.send("POST", one.body, one.header)
		m := a.messages(t)[0]
		if a.status != one.status || (m.Error != nil) != (one.code != 0) || m.Error != nil && m.Error.Code != one.code {
			t.Errorf("%s: %d %+v", name, a.status, m)
		}
		if a.header.Get("Mcp-Session-Id") != "" {
			t.Errorf("%s: a session", name)
		}
	}
	for _, method := range []string{"GET", "DELETE"} {
		if a := h.send(method, "", modern("", "")); a.status != http.StatusMethodNotAllowed || a.header.Get("Allow") != "POST" {
			t.Errorf("%s: %+v", method, a)
		}
	}
}

// A batch, which only 2025-03-26 had, is refused.
func TestHTTPBatch(t *testing.T) {
	h := shelfHTTP(t, newShelf(), nil)
	a := h.send("POST", `[{"jsonrpc":"2.0","id":2,"method":"ping"}]`, h.hello("2025-03-26"))
	if m := a.messages(t)[0]; a.status != http.StatusBadRequest || m.Error == nil || m.Error.Code != mcp.INVALID_REQUEST {
		t.Errorf("%+v", a)
	}
}

// However many ask at once, in both ways, each is answered once and with its own.
func TestHTTPManyAtOnce(t *testing.T) {
	s := newShelf()
	h := shelfHTTP(t, s, nil)
	sess := h.hello("2025-11-25")
	var all sync.WaitGroup
	for i := range 200 {
		all.Go(func() {
			id := fmt.Sprint(i)
			var a heard
			switch i % 4 {
			case 0:
				a = h.send("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/list"}`, sess)
			case 1:
				a = h.send("POST", call(id, "note_get", `{"name":"a"}`), sess)
			case 2:
				a = h.send("POST", modernCall(id, "note_get", `{"name":"b"}`), modern("tools/call", "note_get"))
			case 3:
				a = h.send("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"resources/list","params":{`+modernMeta+`}}`, modern("resources/list", ""))
			}
			if m := a.messages(t); len(m) != 1 || string(m[0].ID) != id || m[0].Error != nil {
				t.Errorf("%d: %+v", i, a)
			}
		})
	}
	all.Wait()
	until(t, "nothing is held", func() bool { return h.Held() == 0 })
	if n := h.Connections(); n != 1 {
		t.Errorf("%d connections are kept, one session is open", n)
	}
}

// At the end everybody gets an answer, streams end, and nothing is taken in any more.
func TestHTTPEnd(t *testing.T) {
	t.Parallel()
	s := newShelf()
	s.started = make(chan string, 3)
	h := shelfHTTP(t, s, nil)
	sess := h.hello("2025-11-25")
	stream := h.open(t.Context(), "GET", "", sess)
	listen := h.open(t.Context(), "POST", `{"jsonrpc":"2.0","id":"l","method":"subscriptions/listen","params":{`+modernMeta+`,"notifications":{"resourcesListChanged":true}}}`, modern("subscriptions/listen", ""))
	answers := make([]heard, 3)
	var asked sync.WaitGroup
	asked.Go(func() { answers[0] = h.send("POST", call("1", "wait", `{"ms":600000}`), sess) })
	asked.Go(func() { answers[1] = h.send("POST", call("2", "wait", `{"ms":20}`), sess) })
	asked.Go(func() {
		answers[2] = h.send("POST", modernCall("3", "wait", `{"ms":3000,"deaf":true}`), modern("tools/call", "wait"))
	})
	for range 3 {
		<-s.started
	}
	if err := h.end(); err != nil {
		t.Error(err)
	}
	asked.Wait()
	for _, a := range answers {
		if a.status == 0 {
			continue // its answer has come
		}
		m := a.messages(t)[0]
		if string(m.ID) == "2" != (m.Error == nil && strings.Contains(string(m.Result), "waited")) {
			t.Errorf("%+v", m)
		}
	}
	if _, err := bufio.NewReader(stream.Body).ReadString(0); err == nil || err.Error() != "EOF" {
		t.Errorf("the stream: %v", err)
	}
	r := bufio.NewReader(listen.Body)
	event(t, r)
	if m := event(t, r); string(m.ID) != `"l"` || m.Error != nil {
		t.Errorf("%+v", m)
	}
	if _, err := http.Get(h.url); err == nil {
		t.Error("the port is still open")
	}
}

// BenchmarkHTTP measures from outside: from the start of a server to its first answer, a call, and a call behind slow ones.
func BenchmarkHTTP(b *testing.B) {
	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			h := shelfHTTP(b, newShelf(), nil)
			h.hello("2025-11-25")
			b.StopTimer()
			if err := h.end(); err != nil {
				b.Error(err)
			}
			b.StartTimer()
		}
	})
	s := newShelf()
	h := shelfHTTP(b, s, nil)
	sess := h.hello("2025-11-25")
	b.Run("session", func(b *testing.B) {
		for b.Loop() {
			h.send("POST", call("1", "note_get", `{"name":"a"}`), sess)
		}
	})
	alone := func(b *testing.B) {
		for b.Loop() {
			h.send("POST", modernCall("1", "note_get", `{"name":"a"}`), modern("tools/call", "note_get"))
		}
	}
	b.Run("alone", alone)
	s.started = make(chan string)
	var slow sync.WaitGroup
	for i := range 12 {
		slow.Go(func() {
			h.open(context.Background(), "POST", call(fmt.Sprint(100+i), "wait", `{"ms":600000}`), sess)
		})
		<-s.started
	}
	b.Run("behind-12-slow", alone)
	if err := h.end(); err != nil {
		b.Error(err)
	}
	slow.Wait()
}
