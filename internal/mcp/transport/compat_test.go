package transport_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"

	. "sdd/internal/mcp/catalog"
)

// Tools of other servers are not listed by default, and every call of one is answered.
func TestCompatIsNotListed(t *testing.T) {
	c := newShelf().catalog()
	c.Compat = []Tool{{Name: "old_tool", Title: "Old", Description: "Old.", Toolset: "read", ReadOnly: true, Call: Handler(func(context.Context, *Call, struct{}) (Result, error) {
		return Result{Text: "old answer"}, nil
	})}}
	srv, err := New(c, Options{})
	if err != nil {
		t.Fatal(err)
	}
	l := connect(t, srv)
	list := `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	l.send(list)
	before := l.next()
	l.send(call("2", "note_get", `{"name":"a"}`))
	l.next()
	for n := range 20 {
		l.send(call(fmt.Sprint(n+10), "old_tool", `{}`))
	}
	for range 20 {
		if r := l.next(); r.Error != nil || !strings.Contains(string(r.Result), "old answer") {
			t.Errorf("%+v", r)
		}
	}
	l.send(list)
	if after := l.next(); string(after.Result) != string(before.Result) {
		t.Errorf("listed %s", after.Result)
	}

	// Several clients may call one of them first at the same time.
	c.Compat = []Tool{{Name: "old_tool", Toolset: "read"}}
	if srv, err = New(c, Options{}); err != nil {
		t.Fatal(err)
	}
	var once sync.WaitGroup
	for range 4 {
		other := connect(t, srv)
		once.Go(func() {
			other.send(call("1", "old_tool", `{}`))
			if r := other.next(); strings.Contains(string(r.Result), "there is no tool") || r.Error != nil {
				t.Errorf("%+v", r)
			}
		})
	}
	once.Wait()
	l = connect(t, srv)
	l.send(list)
	if r := l.next(); strings.Contains(string(r.Result), "old_tool") {
		t.Errorf("listed: %s", r.Result)
	}
	c.Compat = []Tool{{Name: "note_get", Toolset: "read"}}
	if _, err := New(c, Options{}); err == nil {
		t.Error("a name that is taken is no error")
	}
}
