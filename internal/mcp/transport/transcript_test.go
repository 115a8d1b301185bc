package transport_test

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	. "sdd/internal/mcp/catalog"
)

var update = flag.Bool("update", false, "write what the server says into the transcripts")

// TestTranscripts plays the conversations in testdata. In a transcript, lines that begin
//
//	>  are sent, each after the server has come to rest
//	>> are sent together with the next one
//	<  are the server's answers
//	!  happen beside: put NAME TEXT, sleep DURATION, raw "quoted bytes", news TEXT, eof, stop
//
// and other lines are for the reader. An archive may have the files toolsets and read-only; with the file fixture it is the
// conformance suite's fixture that answers.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var o Options
			fixture := false
			for i, f := range ar.Files {
				switch f.Name {
				case "toolsets":
					o.Toolsets = strings.Split(strings.TrimSpace(string(f.Data)), ",")
				case "read-only":
					o.ReadOnly = true
				case "fixture":
					fixture = true
				default:
					var got string
					synctest.Test(t, func(t *testing.T) { got = play(t, o, fixture, string(f.Data)) })
					if *update {
						ar.Files[i].Data = []byte(got)
					} else if diff := cmp.Diff(string(f.Data), got); diff != "" {
						t.Errorf("%s (-want +got):\n%s", f.Name, diff)
					}
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(ar), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// play returns the script with the server's real answers.
func play(t *testing.T, o Options, fixture bool, script string) string {
	s := newShelf()
	srv := s.server(t, o)
	if fixture {
		srv = newFixture(io.Discard)
	}
	l := connect(t, srv)
	var out strings.Builder
	listen := func() {
		synctest.Wait()
		for {
			select {
			case line, ok := <-l.lines:
				if !ok {
					return
				}
				fmt.Fprintf(&out, "< %s\n", line)
			default:
				return
			}
		}
	}
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "<") {
			continue
		}
		out.WriteString(line + "\n")
		text := strings.TrimPrefix(line[min(len(line), 1):], " ")
		switch {
		case strings.HasPrefix(line, ">>"):
			l.send(strings.TrimPrefix(line[2:], " "))
			continue
		case strings.HasPrefix(line, ">"):
			l.send(text)
		case strings.HasPrefix(line, "!"):
			verb, rest, _ := strings.Cut(text, " ")
			switch verb {
			case "put":
				name, text, _ := strings.Cut(rest, " ")
				s.put(name, text)
			case "news":
				s.mu.Lock()
				s.news = append(s.news, rest)
				s.mu.Unlock()
			case "sleep":
				d, err := time.ParseDuration(rest)
				if err != nil {
					t.Fatal(err)
				}
				time.Sleep(d)
			case "raw":
				b, err := strconv.Unquote(rest)
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				if _, err := io.WriteString(l.in, b); err != nil {
					t.Fatal(err)
				}
			case "eof":
				l.in.Close()
			case "stop":
				l.stop()
			default:
				t.Fatalf("what is %q?", line)
			}
		default:
			continue
		}
		listen()
	}
	l.in.Close()
	if err := <-l.done; err != nil {
		t.Errorf("Stdio: %v", err)
	}
	listen()
	return out.String()
}
