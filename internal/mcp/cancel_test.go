package mcp

import (
	"bytes"
	"compress/zlib"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/mcp/catalog"
	"sdd/internal/store"
)

// counting is a context that counts how often it is looked at, and is cancelled by the look number end.
type counting struct {
	context.Context
	cancel context.CancelFunc
	looks  *atomic.Int64
	end    int64
}

func newCounting(t *testing.T, end int64) counting {
	ctx, cancel := context.WithCancel(t.Context())
	return counting{ctx, cancel, new(atomic.Int64), end}
}

func (c counting) look() {
	if c.looks.Add(1) == c.end {
		c.cancel()
	}
}

func (c counting) Err() error {
	c.look()
	return c.Context.Err()
}

func (c counting) Done() <-chan struct{} {
	c.look()
	return c.Context.Done()
}

// TestEveryToolIsCancelled cancels each tool at its first look at the context, which ends it without a result, and in the middle
// of what it does, where that is much: then it does a tenth more of it at most.
func TestEveryToolIsCancelled(t *testing.T) {
	many := func(form string) string {
		var b strings.Builder
		for i := range 40 {
			fmt.Fprintf(&b, form, i, i)
		}
		return b.String()
	}
	args := map[string]map[string]any{
		"sdd_context": {"query": "why postgres"},
		"sdd_explore": {"title": "Another", "goals": "- one"},
		"sdd_search":  {"query": "known"},
		"sdd_get":     {"id": "explore/known"},
		"sdd_learn":   {"text": many("<swarm>LEARNING_LOCAL: module %d needs lock %d</swarm>\n")},
		"sdd_fact":    {"content": "The port is 5432."},
		"sdd_decide":  {"text": many("We decided to use postgres%d for the store because it is %d times faster.\n\n")},
		"sdd_review":  {"action": "archive", "reason": "old"},
		"sdd_code":    {"query": "main"},
		"sdd_docs":    {"source": "docs", "query": "main"},
	}
	var inventory bytes.Buffer
	inventory.WriteString("# Sphinx inventory version 2\n# Project: p\n# Version: 1\n# The remainder of this file is compressed using zlib.\n")
	z := zlib.NewWriter(&inventory)
	fmt.Fprint(z, many("p.main%d py:function 1 index.html#%d -\n"))
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	run := func(name string, end int64) (looks int64, err error) {
		dir := t.TempDir()
		for file, text := range map[string]string{
			"main.go": "package main\n\nfunc main() {}\n", "docs/objects.inv": inventory.String(), ".sdd/explore/known.md": "---\ntitle: Known\n---\n\n## Goals\n\n- known\n",
		} {
			path := filepath.Join(dir, filepath.FromSlash(file))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		st, err := store.Open(store.Options{Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer st.Close()
		ix := index.Open(st)
		defer ix.Close()
		life, stop := context.WithCancel(t.Context())
		defer stop()
		w := app.New(st, ix, app.Options{})
		defer w.Close()
		tools := offers(life, w, app.AgentOptions{}).Tools
		for _, tool := range tools {
			if tool.Name != name {
				continue
			}
			if name == "sdd_review" {
				var ids []string
				for i := range 40 {
					in, _ := json.Marshal(map[string]any{"content": fmt.Sprintf("learning %d is about lock %d", i, i*i)})
					for _, other := range tools {
						if other.Name == "sdd_learn" {
							r, err := other.Call(t.Context(), &catalog.Call{Args: in})
							if err != nil {
								t.Fatal(err)
							}
							var out struct{ Results []struct{ ID string } }
							raw, _ := json.Marshal(r.Structured)
							_ = json.Unmarshal(raw, &out)
							ids = append(ids, out.Results[0].ID)
						}
					}
				}
				args[name]["ids"] = ids
			}
			raw, err := json.Marshal(args[name])
			if err != nil {
				t.Fatal(err)
			}
			ctx := newCounting(t, end)
			defer ctx.cancel()
			_, err = tool.Call(ctx, &catalog.Call{Args: raw})
			return ctx.looks.Load(), err
		}
		t.Fatalf("there is no %s", name)
		return 0, nil
	}
	for _, tool := range Offers().Tools {
		t.Run(tool.Name, func(t *testing.T) {
			whole, err := run(tool.Name, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%d looks", whole)
			if whole == 0 {
				t.Fatal("it never looks at its context")
			}
			if _, err := run(tool.Name, 1); !errors.Is(err, context.Canceled) {
				t.Errorf("cancelled at once: %v", err)
			}
			if looks, err := run(tool.Name, whole/2); whole > 300 && (!errors.Is(err, context.Canceled) || looks > whole/2+whole/10) {
				t.Errorf("cancelled at %d of %d looks it went on for %d: %v", whole/2, whole, looks-whole/2, err)
			}
		})
	}
}
