package explore

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/store"
)

// process is one of several that have the same store open, as servers and the command line do.
type process struct {
	name string
	st   *store.Store
	ix   *index.Index
}

func processAt(t *testing.T, dir, name string) *process {
	t.Helper()
	st, err := store.Open(store.Options{Dir: dir, Tool: name})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	t.Cleanup(func() { ix.Close(); st.Close() })
	return &process{name, st, ix}
}

// editor keeps the text of a file that it opened, and saves it with a line more.
type editor struct {
	name, buffer string
	saves        int
	write        func(file, text string) error
}

func editors() []*editor {
	inPlace := func(file, text string) error { return os.WriteFile(file, []byte(text), 0o644) }
	return []*editor{
		{name: "in place", write: inPlace},
		{name: "rename", write: func(file, text string) error {
			if err := os.WriteFile(file+"~", []byte(text), 0o644); err != nil {
				return err
			}
			return os.Rename(file+"~", file)
		}},
		{name: "stale", write: inPlace}, // puts the very same text back again and again
	}
}

func (e *editor) open(file string) error {
	text, err := os.ReadFile(file)
	if err == nil && len(text) > 0 { // another editor may be half way
		e.buffer = string(text)
	}
	return err
}

func (e *editor) save(file string) error {
	if e.buffer == "" {
		return nil
	}
	if e.saves++; e.name != "stale" || e.saves == 1 {
		e.buffer = strings.Replace(e.buffer, "- base\n", fmt.Sprintf("- base\n- line %d from the editor %s\n", e.saves, e.name), 1)
	}
	return e.write(file, e.buffer)
}

// ledger has the words of every acknowledged change, and what became of those that nobody expects any more.
type ledger struct {
	mu   sync.Mutex
	said map[string]string // what a save said, to what superseded it
	last map[string]string // the last that was said in a section which is given whole
}

func (l *ledger) add(words, whole string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.said[words] = ""
	if whole != "" {
		if was := l.last[whole]; was != "" {
			l.said[was] = words
		}
		l.last[whole] = words
	}
}

// missing returns the changes that are not in the file, not pending and not superseded.
func (l *ledger) missing(t *testing.T, file string, p *process) (missing []string) {
	t.Helper()
	if err := p.ix.Refresh(t.Context()); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	waiting := ""
	for _, n := range p.st.Pending() {
		if n.LostText() == "" {
			t.Errorf("a notice says not what is lost: %s", n.Text())
		}
		for _, c := range n.Lost {
			for line := range strings.Lines(c.After + "\n") { // what else stood there is not put back
				if !strings.Contains(c.Before+"\n", line) {
					waiting += line
				}
			}
		}
	}
	for words, by := range l.said {
		if by == "" && !strings.Contains(string(text), words+"\n") && !strings.Contains(waiting, words+"\n") {
			missing = append(missing, words)
		}
	}
	return missing
}

// act does one thing that a server does.
func (p *process) act(t *testing.T, r *rand.Rand, n int, l *ledger) error {
	in := Input{Title: "Topic", Append: true, SessionID: p.name}
	words := fmt.Sprintf("- change %d by the server %s", n, p.name)
	whole := ""
	switch r.IntN(6) {
	case 0:
		whole, in.Append = p.name, false
		if p.name == "one" {
			in.Constraints = words
		} else {
			in.Preferences = words
		}
	case 1:
		in.Unknowns = words
	case 2:
		return p.ix.Refresh(t.Context())
	default:
		in.Goals = words
	}
	_, err := Save(t.Context(), p.st, p.ix, in)
	if err == nil {
		l.add(words, whole)
	}
	if fault.Is(err, fault.Unavailable) || fault.Is(err, fault.Broken) { // refused: an editor never stops saving, or is half way
		return nil
	}
	return err
}

func lossAt(t *testing.T) (file string, servers []*process, l *ledger) {
	dir := t.TempDir()
	servers = []*process{processAt(t, dir, "one"), processAt(t, dir, "two")}
	if _, err := Save(t.Context(), servers[0].st, servers[0].ix, Input{Title: "Topic", Fields: Fields{Goals: "- base"}}); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, ".sdd", "explore", "topic.md"), servers, &ledger{said: map[string]string{}, last: map[string]string{}}
}

// TestEveryOverwrittenChangeWaits: two servers and three kinds of editors take turns in any order. Every acknowledged change is in
// the file, pending, or superseded by a later one that gave its whole section, and resolve leaves it so.
func TestEveryOverwrittenChangeWaits(t *testing.T) {
	t.Parallel()
	rounds := 12
	if testing.Short() {
		rounds = 4
	}
	for seed := range uint64(rounds) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 13))
			file, servers, l := lossAt(t)
			eds := editors()
			var story []string
			for n := range 30 {
				e, p := eds[r.IntN(len(eds))], servers[r.IntN(len(servers))]
				var err error
				switch r.IntN(5) {
				case 0:
					story = append(story, "open "+e.name)
					err = e.open(file)
				case 1:
					story = append(story, "save "+e.name)
					err = e.save(file)
				default:
					story = append(story, fmt.Sprint("server ", p.name, " ", n))
					err = p.act(t, r, n, l)
				}
				if err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			for _, after := range []string{"the edits", "resolve"} {
				for _, p := range append(servers, processAt(t, servers[0].st.Dir(), "three")) {
					if missing := l.missing(t, file, p); len(missing) > 0 {
						text, _ := os.ReadFile(file)
						t.Fatalf("seed %d, after %s: %q are nowhere for %s\n%s\n%s", seed, after, missing, p.name, strings.Join(story, "\n"), text)
					}
				}
				if _, err := servers[1].st.Resolve(t.Context(), "explore/topic"); err != nil && !fault.Is(err, fault.NotFound) && !fault.Is(err, fault.Conflict) {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestNothingIsLostToEditors is the same with all at once.
func TestNothingIsLostToEditors(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			file, servers, l := lossAt(t)
			var work, saves sync.WaitGroup
			turns := make(chan struct{}, 100) // editors save while the servers do
			for k, e := range editors() {
				work.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(k)))
					for range turns {
						if r.IntN(3) == 0 {
							e.open(file)
						} else {
							e.save(file)
						}
					}
				})
			}
			for k, p := range servers {
				saves.Go(func() {
					r := rand.New(rand.NewPCG(seed, uint64(k)+100))
					for n := range longtest.Of(4, 10) {
						turns <- struct{}{}
						if err := p.act(t, r, n, l); err != nil {
							t.Errorf("seed %d: %v", seed, err)
						}
					}
				})
			}
			saves.Wait()
			close(turns)
			work.Wait()
			for _, p := range append(servers, processAt(t, servers[0].st.Dir(), "three")) {
				if missing := l.missing(t, file, p); len(missing) > 0 {
					text, _ := os.ReadFile(file)
					t.Fatalf("seed %d: %q are nowhere for %s\n%s", seed, missing, p.name, text)
				}
			}
		})
	}
}
