package lsp

import (
	"maps"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"sdd/internal/check"
)

// due asks for a check of a document. The caller holds the lock.
func (s *server) due(uri string) {
	s.pending[uri] = true
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

// dueAll asks for a check of every open document. The caller holds the lock.
func (s *server) dueAll() {
	for uri := range s.docs {
		s.due(uri)
	}
}

// follow checks documents, in their latest version, when they or other records change, until the connection ends.
func (s *server) follow() {
	ctx := s.ctx
	_ = s.app.Index.Refresh(ctx) // the next request reports a fault
	changed := make(chan struct{}, 1)
	s.app.Follow(ctx, func() bool { return true }, func() {
		select {
		case changed <- struct{}{}:
		default:
		}
	})
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			s.mu.Lock()
			s.dueAll()
			s.mu.Unlock()
			if s.client.lensRefresh {
				s.out.write(request{"2.0", "sdd-lenses", "workspace/codeLens/refresh", nil}) // its response changes nothing
			}
			continue
		case <-s.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(settleTime):
		}
		s.mu.Lock()
		uris := slices.Sorted(maps.Keys(s.pending))
		clear(s.pending)
		j := job{ctx, s, maps.Clone(s.docs)}
		s.mu.Unlock()
		for _, uri := range uris { // without the lock: the client may read late
			s.protect(message{Method: "textDocument/publishDiagnostics"}, func() {
				if d := j.docs[uri]; d == nil {
					s.out.notify("textDocument/publishDiagnostics", published{uri, 0, []diagnostic{}})
				} else if d.record != "" {
					s.out.notify("textDocument/publishDiagnostics", published{uri, d.version, j.diagnose(d)})
				}
			})
		}
	}
}

type published struct {
	URI         string       `json:"uri"`
	Version     int          `json:"version,omitempty"`
	Diagnostics []diagnostic `json:"diagnostics"`
}

type diagnostic struct {
	Range    span   `json:"range"`
	Severity int    `json:"severity"` // 1 is an error, 2 a warning, 3 a remark
	Code     string `json:"code"`
	Source   string `json:"source"`
	Message  string `json:"message"`
}

func (j job) diagnose(d *document) []diagnostic {
	all := []diagnostic{}
	for _, f := range check.Text(j, j.app.Store, j.app.Index, j.app.Tree, d.record, d.src) {
		x := diagnostic{Range: d.found(f.Line, f.Column), Severity: 2, Code: f.Rule, Source: "sdd", Message: f.Message}
		switch f.Severity {
		case check.Error:
			x.Severity = 1
		case check.Notice:
			x.Severity = 3
		}
		if f.Fix != "" {
			x.Message += "\n" + f.Fix
		}
		all = append(all, x)
	}
	return all
}

// found returns the range of a finding at a line and a column, both from 1: the word there, of column 1 the whole line.
func (t *text) found(line, column int) span {
	n := min(max(line-1, 0), len(t.lines)-1)
	if column <= 1 {
		return t.whole(n)
	}
	text := t.line(n)
	at := 0
	for range column - 1 {
		_, size := utf8.DecodeRune(text[at:])
		at += size
	}
	end := strings.IndexAny(string(text[at:]), " \t)>")
	if end <= 0 {
		end = len(text) - at
	}
	return t.span(t.lines[n]+at, t.lines[n]+at+end)
}
