package transport_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
)

// answers counts what came back for each id, and fails on anything that is not protocol.
func answers(t *testing.T, lines []string) map[string]int {
	t.Helper()
	seen := map[string]int{}
	for _, s := range lines {
		if r := hear(t, s); r.Method == "" {
			seen[string(r.ID)]++
		}
	}
	return seen
}

func TestManyInFlight(t *testing.T) {
	for name, line := range map[string]func(id string) string{
		"ping": func(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"ping"}`, id) },
		"list": func(id string) string { return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/list"}`, id) },
		"call": func(id string) string { return call(id, "note_get", `{"name":"a"}`) },
		"fail": func(id string) string { return call(id, "fail", `{"how":"error"}`) },
		"read": func(id string) string {
			return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"resources/read","params":{"uri":"note://note/a"}}`, id)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := connect(t, newShelf().server(t, Options{}))
				l.hello("2025-11-25")
				const n = 3000 // more than may be accepted at once
				for i := range n {
					l.send(line(fmt.Sprint(i)))
				}
				lines, err := l.rest() // at once: nothing that was accepted is lost
				if err != nil {
					t.Error(err)
				}
				seen := answers(t, lines)
				for i := range n {
					if seen[fmt.Sprint(i)] != 1 {
						t.Fatalf("request %d was answered %d times", i, seen[fmt.Sprint(i)])
					}
				}
			})
		})
	}
}

// A fast call does not wait for slow ones, up to the limit of what runs; beyond it, what needs
// no slot still passes, and so does cancelling.
func TestSlowCallsHoldUpNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := connect(t, newShelf().server(t, Options{}))
		l.hello("2025-11-25")
		start := time.Now()
		for i := range MaxRunning - 1 {
			l.send(call(fmt.Sprint(i), "wait", `{"ms":600000}`))
		}
		synctest.Wait()
		l.send(call(`"fast"`, "note_get", `{"name":"a"}`))
		if r := l.next(); string(r.ID) != `"fast"` {
			t.Fatalf("%s came first", r.ID)
		}
		for i := range 20 {
			l.send(call(fmt.Sprint(1000+i), "wait", `{"ms":1}`))
		}
		l.send(call(`"full"`, "note_get", `{"name":"a"}`), `{"jsonrpc":"2.0","id":"ping","method":"ping"}`)
		if r := l.next(); string(r.ID) != `"ping"` {
			t.Fatalf("%s came before the ping", r.ID)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("that took %v", d)
		}
		for i := range MaxRunning {
			l.send(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`, i))
		}
		lines, err := l.rest()
		if err != nil {
			t.Error(err)
		}
		seen := answers(t, lines)
		for i := range 20 {
			if seen[fmt.Sprint(1000+i)] != 1 {
				t.Errorf("call %d was answered %d times", 1000+i, seen[fmt.Sprint(1000+i)])
			}
		}
		if seen[`"full"`] != 1 || len(seen) != 21 {
			t.Errorf("answered: %v", seen)
		}
	})
}

// Progress is complete, in order and before its result, a thousand times, eight calls at a time.
func TestProgressOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := connect(t, newShelf().server(t, Options{}))
		l.hello("2025-11-25")
		const calls, steps = 1000, 10
		var wg sync.WaitGroup
		wg.Go(func() {
			for i := range calls {
				l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"count","arguments":{"to":%d},"_meta":{"progressToken":%d}}}`, i, steps, i))
			}
		})
		got, open := map[string]int{}, calls
		for open > 0 {
			r := l.next()
			if r.Method == "" {
				if got[string(r.ID)] != steps {
					t.Fatalf("call %s: the result came after %d of %d steps", r.ID, got[string(r.ID)], steps)
				}
				got[string(r.ID)] = -1
				open--
				continue
			}
			var p struct {
				Token    json.RawMessage `json:"progressToken"`
				Progress int             `json:"progress"`
			}
			if err := json.Unmarshal(r.Params, &p); err != nil {
				t.Fatal(err)
			}
			if got[string(p.Token)] != p.Progress-1 {
				t.Fatalf("call %s: step %d after %d", p.Token, p.Progress, got[string(p.Token)])
			}
			got[string(p.Token)] = p.Progress
		}
		wg.Wait()
		if lines, err := l.rest(); len(lines) > 0 || err != nil {
			t.Errorf("afterwards: %q, %v", lines, err)
		}
	})
}

// Between the last progress and its result there is a moment, see ProgressGap.
func TestProgressGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := connect(t, newShelf().server(t, Options{}))
		l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count","arguments":{"to":1},"_meta":{"progressToken":1}}}`)
		l.next()
		at := time.Now()
		l.next()
		if d := time.Since(at); d != ProgressGap {
			t.Errorf("the result came %v after the progress", d)
		}
	})
}

// A client that does not read holds up neither other clients nor whoever reports changes, and
// gets each piece of news once when it reads again.
func TestClientThatDoesNotRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		srv := s.server(t, Options{})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- srv.Stdio(t.Context(), inR, outW) }()
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://note/a"}}`)
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":2,"method":"resources/subscribe","params":{"uri":"note://note/b"}}`)
		answers := bufio.NewReader(outR)
		for range 2 {
			if _, err := answers.ReadString('\n'); err != nil {
				t.Fatal(err)
			}
		}
		other := connect(t, srv)
		other.hello("2025-11-25")
		other.send(`{"jsonrpc":"2.0","id":1,"method":"resources/subscribe","params":{"uri":"note://note/a"}}`)
		other.next()
		s.put("a", "first")
		synctest.Wait() // this piece waits to be read
		for range 1000 {
			s.put("a", "x")
			s.put("b", "x")
		}
		if r := other.next(); r.Method != "notifications/resources/updated" {
			t.Errorf("%+v", r)
		}
		inW.Close()
		go func() {
			<-done
			outW.Close()
		}()
		out, err := io.ReadAll(answers)
		if err != nil {
			t.Fatal(err)
		}
		news := 0
		for s := range strings.Lines(string(out)) {
			if hear(t, s).Method != "" {
				news++
			}
		}
		if news != 3 {
			t.Errorf("%d pieces of news, want the one that waited and one for each note:\n%s", news, out)
		}
		other.rest()
	})
}

// A tool that reports progress waits for a client that reads slowly, and stops waiting when it
// is cancelled: memory stays bounded.
func TestProgressWaitsForTheClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShelf()
		reported := 0
		c := s.catalog()
		c.Tools = []Tool{{Name: "flood", Title: "Flood", Description: "Floods", Toolset: "x", ReadOnly: true,
			Call: func(ctx context.Context, _ *Call) (Result, error) {
				for i := range 1_000_000 {
					if ctx.Err() != nil {
						break
					}
					SessionOf(ctx).Progress(ctx, float64(i+1), 0, strings.Repeat("x", 1000))
					reported++
				}
				return Result{Text: "done"}, nil
			}}}
		c.DefaultToolsets = nil
		srv, err := New(c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- srv.Stdio(t.Context(), inR, outW) }()
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood","_meta":{"progressToken":1}}}`)
		synctest.Wait()
		if reported > 4000 {
			t.Errorf("%d reports are held for a client that does not read", reported)
		}
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
		synctest.Wait()
		outR.Close() // the client goes
		if err := <-done; err != nil {
			t.Error(err)
		}
		inW.Close()
	})
}

// The end of input, a signal and a client that is gone end the server in time, whatever runs.
func TestEnds(t *testing.T) {
	busy := []string{call(`"short"`, "wait", `{"ms":1000}`), call(`"long"`, "wait", `{"ms":60000}`), call(`"deaf"`, "wait", `{"ms":60000,"deaf":true}`)}
	tests := []struct {
		name  string
		send  []string
		end   func(l *link)
		after time.Duration
	}{
		{"idle", nil, func(l *link) { l.in.Close() }, 0},
		{"stopped idle", nil, func(l *link) { l.stop() }, 0},
		{"short", busy[:1], func(l *link) { l.in.Close() }, time.Second},
		{"long", busy[:2], func(l *link) { l.in.Close() }, DrainTime},
		{"deaf", busy, func(l *link) { l.in.Close() }, DrainTime + GraceTime},
		{"stopped", busy, func(l *link) { l.stop() }, DrainTime + GraceTime},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := connect(t, newShelf().server(t, Options{}))
				l.send(test.send...)
				synctest.Wait()
				start := time.Now()
				test.end(l)
				if err := <-l.done; err != nil {
					t.Error(err)
				}
				if d := time.Since(start); d != test.after {
					t.Errorf("ended after %v, want %v", d, test.after)
				}
				lines, _ := l.rest2()
				seen := answers(t, lines)
				for _, s := range test.send {
					if id := string(hear(t, s).ID); seen[id] != 1 {
						t.Errorf("%s was answered %d times", id, seen[id])
					}
				}
				time.Sleep(time.Minute) // the deaf one ends
			})
		})
	}
}

// rest2 is rest for a server that has ended already.
func (l *link) rest2() ([]string, error) {
	l.done <- nil
	return l.rest()
}

func TestEndsWhenNothingIsRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newShelf().server(t, Options{})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- srv.Stdio(t.Context(), inR, outW) }()
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		start := time.Now()
		inW.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		if d := time.Since(start); d > 2*time.Second {
			t.Errorf("ended after %v", d)
		}
		outR.Close()
	})
}

func TestEndsWhenTheClientIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newShelf().server(t, Options{})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- srv.Stdio(t.Context(), inR, outW) }()
		fmt.Fprintln(inW, call("1", "wait", `{"ms":60000}`))
		outR.Close()
		start := time.Now()
		fmt.Fprintln(inW, `{"jsonrpc":"2.0","id":2,"method":"ping"}`)
		if err := <-done; err != nil {
			t.Error("that a client goes is no error:", err)
		}
		if d := time.Since(start); d > time.Second {
			t.Errorf("ended after %v", d)
		}
		inW.Close()
	})
}

func TestInputThatCannotBeRead(t *testing.T) {
	srv := newShelf().server(t, Options{})
	if err := srv.Stdio(t.Context(), iotest.ErrReader(errors.New("broken")), io.Discard); err == nil {
		t.Error("no error")
	}
}

// Results too long for one message and far too long ones cost the client an error, not the server.
func TestLongMessages(t *testing.T) {
	l := connect(t, newShelf().server(t, Options{}))
	text := strings.Repeat("x", MaxMessage)
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":"before","method":"ping","params":{"x":"` + text + `"}}`,
		`{"jsonrpc":"2.0","method":"ping","params":{"x":"` + text + `","id":1},"id":"after"}`,
		`{"jsonrpc":"2.0","method":"notifications/x","params":{"x":"` + text + `"}}`,
		text + text,
	} {
		go l.send(s)
		r := l.next()
		if r.Error == nil || r.Error.Code != -32600 {
			t.Fatalf("%.60s…: %+v", s, r)
		}
		want := "null"
		for _, id := range []string{"before", "after"} {
			if strings.Contains(s, `"id":"`+id+`"`) {
				want = `"` + id + `"`
			}
		}
		if string(r.ID) != want {
			t.Errorf("%.60s…: answered to %s, want %s", s, r.ID, want)
		}
	}
	fits := call(`"fits"`, "note_put", `{"name":"a","text":""}`)
	go l.send(strings.Replace(fits, `"text":""`, `"text":"`+text[:MaxMessage-len(fits)]+`"`, 1))
	if r := l.next(); r.Error != nil || string(r.ID) != `"fits"` || !strings.Contains(string(r.Result), "bytes, at most") {
		t.Errorf("%.300s", r.Result)
	}
	// What is decoded is bounded too.
	go l.send(call(`"values"`, "note_put", `{"name":"a","text":[`+strings.Repeat(`"",`, MaxValues)+`""]}`))
	if r := l.next(); r.Error == nil || r.Error.Code != -32600 {
		t.Errorf("%+v", r)
	}
}

func TestListIsStable(t *testing.T) {
	var all []string
	for range 3 {
		l := connect(t, newShelf().server(t, Options{Toolsets: []string{"all", "compat"}}))
		for range 3 {
			l.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
			all = append(all, <-l.lines)
		}
	}
	if len(slices.Compact(all)) != 1 {
		t.Errorf("the list differs:\n%s", strings.Join(all, "\n"))
	}
}

// Resources are listed in pages that miss and repeat nothing, also when the last page is full.
func TestPages(t *testing.T) {
	for _, n := range []int{0, 100 - 2, 100 - 1, 100, 3*100 - 2, 512} {
		s := newShelf()
		clear(s.notes)
		for i := range n {
			s.notes[fmt.Sprintf("n%04d", i)] = "x"
		}
		l := connect(t, s.server(t, Options{}))
		var names []string
		pages, cursor := 0, ""
		for {
			l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{%s}}`, cursor))
			var page struct {
				Resources []struct{ Name, URI string }
				Next      string `json:"nextCursor"`
			}
			if err := json.Unmarshal(l.next().Result, &page); err != nil {
				t.Fatal(err)
			}
			pages++
			if page.Resources == nil || len(page.Resources) > 100 {
				t.Fatalf("%d notes: a page of %d", n, len(page.Resources))
			}
			for _, r := range page.Resources {
				names = append(names, r.Name)
			}
			if page.Next == "" {
				break
			}
			cursor = fmt.Sprintf(`"cursor":%q`, page.Next)
		}
		if want := n + 2; len(names) != want || !slices.IsSorted(names) || len(slices.Compact(names)) != want {
			t.Errorf("%d notes: %d names", n, len(names))
		}
		if want := max(1, (n+2+100-1)/100); pages != want {
			t.Errorf("%d notes: %d pages, want %d", n, pages, want)
		}
	}
}

func TestCompletionIsCapped(t *testing.T) {
	s := newShelf()
	for i := range 250 {
		s.notes[fmt.Sprintf("n%04d", i)] = "x"
	}
	l := connect(t, s.server(t, Options{}))
	l.send(`{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"brief"},"argument":{"name":"name","value":"N"}}}`)
	var r struct {
		Completion struct {
			Values  []string
			Total   int
			HasMore bool
		}
	}
	if err := json.Unmarshal(l.next().Result, &r); err != nil {
		t.Fatal(err)
	}
	if c := r.Completion; len(c.Values) != 100 || c.Total != 250 || !c.HasMore || c.Values[0] != "n0000" {
		t.Errorf("%d of %d values, more %v", len(c.Values), c.Total, c.HasMore)
	}
}

// A client that sends nonsense and reads nothing is not listened to any more once enough answers wait.
func TestNonsenseIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := newShelf().server(t, Options{})
		inR, inW := io.Pipe()
		outR, outW := io.Pipe()
		done := make(chan error, 1)
		go func() { done <- srv.Stdio(t.Context(), inR, outW) }()
		var written atomic.Int64
		go func() {
			for {
				n, err := io.WriteString(inW, strings.Repeat("x\n", 1000))
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		}()
		synctest.Wait()
		if n := written.Load(); n > 4<<20 {
			t.Errorf("%d bytes of nonsense are answered", n)
		}
		outR.Close()
		if err := <-done; err != nil {
			t.Error(err)
		}
		inR.Close()
	})
}
