package agents

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"sdd/internal/longtest"
	"sdd/internal/store"
)

// Two servers and three kinds of editors change three records. Every acknowledged change of a server is in the end in its file,
// waits to be put back, or was superseded by a later one that gave the whole section; so are the last words of an editor.

// shared is a record that all of them change.
type shared struct {
	title, file string
	turn        sync.Mutex // editors read and write whole files: half a file that one saves again is that editor's loss
	last        string     // the last words that an editor saved
}

// editor keeps the text of each file that it opened, and saves it with a line more.
type editor struct {
	kind    string
	opens   int // on average each so many turns
	saves   int
	own     *regexp.Regexp
	buffers map[*shared]string
}

func newEditor(kind string, opens int) *editor {
	return &editor{kind: kind, opens: opens, own: regexp.MustCompile(`(?m)^- line \d+ from the editor ` + kind + `\n`), buffers: map[*shared]string{}}
}

func (e *editor) act(r *rand.Rand, rec *shared) error {
	rec.turn.Lock()
	defer rec.turn.Unlock()
	if e.buffers[rec] == "" || r.IntN(e.opens) == 0 {
		text, err := os.ReadFile(rec.file)
		e.buffers[rec] = string(text)
		return err
	}
	e.saves++
	words := fmt.Sprintf("- line %d from the editor %s\n", e.saves, e.kind)
	text := strings.Replace(e.own.ReplaceAllString(e.buffers[rec], ""), "- base\n", "- base\n"+words, 1)
	rec.last = words
	if e.kind != "stale" {
		e.buffers[rec] = text
	}
	if e.kind != "rename" {
		return os.WriteFile(rec.file, []byte(text), 0o644)
	}
	if err := os.WriteFile(rec.file+"~", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(rec.file+"~", rec.file)
}

// ledger has the words of every acknowledged change.
type ledger struct {
	sync.Mutex
	in   map[string]*shared // the record of words that are expected
	last map[string]string  // the last words of a section that is given whole
}

// act does one thing that a server does. Each server gives one section whole, so that the order of these is known.
func (l *ledger) act(t *testing.T, s *mcp.ClientSession, name string, r *rand.Rand, n int, rec *shared) {
	words := fmt.Sprintf("- change %d by the server %s\n", n, name)
	args := map[string]any{"title": rec.title, "append": true}
	whole := ""
	switch r.IntN(7) {
	case 0:
		whole = map[string]string{"one": "constraints", "two": "preferences"}[name]
		args[whole], args["append"] = words, false
	case 1:
		args["unknowns"] = words
	case 2:
		call[found](t, s, "sdd_search", map[string]any{"query": "change"})
		return
	default:
		args["goals"] = words
	}
	got, result := call[saved](t, s, "sdd_explore", args)
	if result.IsError {
		if got.Code != "unavailable" { // an editor never stops saving
			t.Errorf("%s: %s", got.Code, got.Message)
		}
		return
	}
	l.Lock()
	defer l.Unlock()
	l.in[words] = rec
	if whole != "" {
		delete(l.in, l.last[rec.title+whole])
		l.last[rec.title+whole] = words
	}
}

// missing returns the words that are neither in the file nor wait.
func (l *ledger) missing(t *testing.T, dir string, recs []*shared) (missing []string) {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	known := map[*shared]string{}
	for _, rec := range recs {
		text, err := os.ReadFile(rec.file)
		if err != nil {
			t.Fatal(err)
		}
		known[rec] = string(text)
		for _, n := range st.Pending() {
			for _, c := range n.Lost {
				if filepath.Base(n.Path) != filepath.Base(rec.file) {
					continue
				}
				for line := range strings.Lines(c.After + "\n") { // what else stood there is not put back
					if !strings.Contains(c.Before+"\n", line) {
						known[rec] += line
					}
				}
			}
		}
		if !strings.Contains(known[rec], rec.last) {
			missing = append(missing, rec.title+": "+rec.last)
		}
	}
	for words, rec := range l.in {
		if !strings.Contains(known[rec], words) {
			missing = append(missing, rec.title+": "+words)
		}
	}
	return missing
}

func TestNothingIsLostBetweenServersAndEditors(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"in turns", "paced", "unpaced"} {
		for seed := range longtest.Of(uint64(1), 3) {
			t.Run(fmt.Sprint(how, " ", seed), func(t *testing.T) {
				t.Parallel()
				loseNothing(t, how, seed, longtest.Of(10, 40))
			})
		}
	}
}

func loseNothing(t *testing.T, how string, seed uint64, steps int) {
	dir := t.TempDir()
	names := []string{"one", "two"}
	servers := []*mcp.ClientSession{connect(t, "sdd", dir, nil), connect(t, "sdd", dir, nil)}
	l := &ledger{in: map[string]*shared{}, last: map[string]string{}}
	var recs []*shared
	for i := range 3 {
		title := fmt.Sprint("Topic ", i)
		first, _ := call[saved](t, servers[0], "sdd_explore", map[string]any{"title": title, "goals": "- base"})
		recs = append(recs, &shared{title: title, file: filepath.Join(dir, filepath.FromSlash(first.File))})
	}
	editors := []*editor{newEditor("in place", 2), newEditor("rename", 2), newEditor("stale", 6)}
	if how == "in turns" {
		r := rand.New(rand.NewPCG(seed, 13))
		for n := range 2 * steps {
			rec := recs[r.IntN(len(recs))]
			if k := r.IntN(6); k < len(editors) {
				if err := editors[k].act(r, rec); err != nil {
					t.Fatal(err)
				}
			} else {
				l.act(t, servers[k%2], names[k%2], r, n, rec)
			}
		}
	} else {
		var saving, editing sync.WaitGroup
		turns := make(chan bool, steps)
		done := make(chan bool)
		for k, e := range editors {
			editing.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(k)))
				for range 100 * steps { // unpaced, a server saves at last
					if how == "paced" && !<-turns {
						return
					}
					select {
					case <-done:
						return
					default:
					}
					if err := e.act(r, recs[r.IntN(len(recs))]); err != nil {
						t.Error(err)
					}
				}
			})
		}
		for k, s := range servers {
			saving.Go(func() {
				r := rand.New(rand.NewPCG(seed, uint64(k)+100))
				for n := range steps {
					if how == "paced" {
						turns <- true
						turns <- true
					}
					l.act(t, s, names[k], r, n, recs[r.IntN(len(recs))])
				}
			})
		}
		saving.Wait()
		close(done)
		close(turns)
		editing.Wait()
	}
	for _, s := range servers {
		call[found](t, s, "sdd_search", map[string]any{"query": "change"})
	}
	if missing := l.missing(t, dir, recs); len(missing) > 0 {
		t.Errorf("nowhere: %q", missing)
	}
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i := range recs {
		st.Resolve(t.Context(), fmt.Sprint("explore/topic-", i)) // what conflicts goes on waiting
	}
	if missing := l.missing(t, dir, recs); len(missing) > 0 {
		t.Errorf("nowhere after resolve: %q", missing)
	}
}
