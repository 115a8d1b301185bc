package eval

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/longtest"
)

var (
	soakLength  = flag.Duration("soak", 16*time.Second, "how long TestSoak lasts; memory is compared from five minutes on")
	soakRecords = flag.Int("soak-records", 300, "records of the store of TestSoak, at least 100")
	soakPace    = flag.Duration("soak-pace", 100*time.Millisecond, "mean time between two calls of an agent in TestSoak")
)

// TestSoak lets agents, editors, a browser and git use one store, and looks for lost saves, differing answers, growth and leaks.
// After a failure the store is kept.
func TestSoak(t *testing.T) {
	longtest.Only(t)
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not installed")
	}
	dir, err := os.MkdirTemp("", "sdd-soak-")
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: dir, log: t.Output()}
	if err := b.build(); err != nil {
		t.Fatal(err)
	}
	var report bytes.Buffer
	err = b.runSoak(*soakLength, *soakRecords, *soakPace, &report)
	t.Log("\n" + report.String())
	if err != nil {
		t.Fatalf("%v; the store is kept in %s", err, dir)
	}
	os.RemoveAll(dir)
	for _, want := range []string{"| soak, saves lost (of ", "| soak, answers that differ at the end (", "| soak, errors that are no documented conflict ("} {
		if !strings.Contains(report.String(), want) {
			t.Errorf("the report lacks %q", want)
		}
	}
}

// soak lets everybody who may use a store use one at once, for as long as is wanted: four agents over standard input
// and output and over both forms of HTTP, a browser with pages open, three editors that save as editors do, and somebody
// who commits and changes branches. At the end nothing that was acknowledged may be lost, nobody may have grown, and
// all must see the same.
type soak struct {
	*bench
	length  time.Duration
	records int
	pace    time.Duration // between two actions of one actor, on average
	corpus  *corpus
	hot     []record // that all actors write to
	saves   *saves
	faults  *faults

	// work is held for reading while an actor does something, for writing while everybody rests.
	work sync.RWMutex
	// tree is held while a person saves or changes branches: nobody does both at once. Agents do not know of it.
	tree sync.Mutex
	// branch counts changes of the branch; it is odd while one is under way.
	branch counter
	edits  counter

	processes []watched
	samples   []sample
}

const (
	hotRecords  = 200             // records that are written to, at most a fifth of all
	sideRecords = 50              // that only one of the branches has
	rests       = 12              // samples are taken this often; those of the last third are compared with those of the first
	settleTime  = 3 * time.Second // after which a server that nobody asks anything has given back what it can
	judged      = 5 * time.Minute // from which length on memory is judged: what is loaded once makes a short one look like growth
)

// runSoak does it and reports. It fails when anything was not as it must be.
func (b *bench) runSoak(length time.Duration, records int, pace time.Duration, out io.Writer) error {
	s := &soak{bench: b, length: length, records: records, pace: pace, saves: newSaves(), faults: &faults{log: b.log}}
	fmt.Fprintf(b.log, "soak: %d records, %s\n", records, length)
	if err := s.prepare(); err != nil {
		return err
	}
	clients, page, err := s.start()
	defer func() {
		for _, c := range clients {
			c.close()
		}
		for _, p := range s.processes {
			p.end()
		}
	}()
	if err != nil {
		return err
	}
	s.run(clients, page)
	s.check(clients, page)
	for _, p := range s.processes {
		if said := bytes.TrimSpace(p.said()); len(said) > 0 {
			fmt.Fprintf(b.log, "soak: %s said: %.4000s\n", p.name, said)
		}
	}
	return s.report(out)
}

// prepare makes the store, its repository and the two branches.
func (s *soak) prepare() error {
	var err error
	if s.corpus, err = newCorpus(filepath.Join(s.dir, "soak"), s.records); err != nil {
		return err
	}
	for i := range min(hotRecords, s.records/5) {
		s.hot = append(s.hot, s.corpus.record(i*5))
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"config", "user.name", "Soak"}, {"config", "user.email", "soak@example.org"},
		{"config", "gc.auto", "0"}, {"config", "core.fsync", "none"},
	} {
		if err := s.git(args...); err != nil {
			return err
		}
	}
	if _, err := s.command("init"); err != nil {
		return err
	}
	if err := s.commit("the corpus"); err != nil {
		return err
	}
	if err := s.git("switch", "-q", "-c", "side"); err != nil {
		return err
	}
	for i, r := range s.hot[:len(s.hot)/4] { // the branches differ in these
		text := append(r.markdown(), fmt.Sprintf("\n## Only on the side branch\n\n- %d\n", i)...)
		if err := os.WriteFile(filepath.Join(s.corpus.explore(), r.file()), text, 0o644); err != nil {
			return err
		}
	}
	for _, r := range s.corpus.records(s.records, min(sideRecords, s.records/5)) {
		if err := os.WriteFile(filepath.Join(s.corpus.explore(), r.file()), r.markdown(), 0o644); err != nil {
			return err
		}
	}
	if err := s.commit("the side"); err != nil {
		return err
	}
	return s.git("switch", "-q", "main")
}

// start starts the servers and connects everybody.
func (s *soak) start() (clients []agent, page *browser, err error) {
	root := s.corpus.root
	for i := range 2 {
		c, err := s.ready(root)
		if err != nil {
			return clients, nil, err
		}
		name := fmt.Sprintf("stdio %d", i+1)
		s.processes = append(s.processes, watched{name: name, cmd: c.cmd, stderr: &c.stderr})
		clients = append(clients, &stdioAgent{c, name})
	}
	served, url, err := s.serveURL("mcp", "--http", "127.0.0.1:0")
	if err != nil {
		return clients, nil, err
	}
	served.name = "HTTP"
	s.processes = append(s.processes, *served)
	session, err := newSessionAgent(url)
	if err != nil {
		return clients, nil, err
	}
	clients = append(clients, session, newModernAgent(url))
	served, url, err = s.serveURL("ui", "--no-open", "--addr", "127.0.0.1:0")
	if err != nil {
		return clients, nil, err
	}
	served.name = "page"
	s.processes = append(s.processes, *served)
	page, err = newBrowser(url)
	return clients, page, err
}

// run lets all actors work until the time is over, with rests in which samples are taken.
func (s *soak) run(clients []agent, page *browser) {
	ctx, stop := context.WithCancel(context.Background())
	var group sync.WaitGroup
	actor := func(name string, pace time.Duration, seed uint64, act func(rng *rand.Rand) error) {
		group.Go(func() {
			rng := rand.New(rand.NewPCG(seed, 2026))
			for pause(ctx, time.Duration(float64(pace)*(0.2+1.6*rng.Float64()))) {
				s.work.RLock()
				err := act(rng)
				s.work.RUnlock()
				if err != nil {
					s.faults.add(name, err)
				}
			}
		})
	}
	for i, c := range clients {
		a := &actions{s: s, agent: c, who: i}
		actor(c.name(), s.pace, uint64(i), a.next)
	}
	for i, e := range editors {
		actor(e.name, 4*s.pace, uint64(100+i), func(rng *rand.Rand) error { return s.edit(rng, i, e) })
	}
	actor("git", 16*s.pace, 200, s.switchBranch)
	actor("page", 4*s.pace, 300, func(rng *rand.Rand) error { return page.visit(s.hot[rng.IntN(len(s.hot))]) })
	group.Go(func() { page.listen(ctx, s.faults) })
	group.Go(func() { clients[2].(*sessionAgent).listen(ctx, s.faults) })

	start := time.Now()
	for i := range rests {
		pause(ctx, s.length/rests)
		s.work.Lock()
		s.take(i, time.Since(start))
		s.work.Unlock()
	}
	stop()
	group.Wait()
}

// settled is how long a rest lasts.
func (s *soak) settled() time.Duration { return min(settleTime, s.length/(4*rests)) }

// pause waits, and reports whether to go on.
func pause(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}

// command runs sdd in the store and returns what it printed.
func (s *soak) command(args ...string) ([]byte, error) {
	cmd := exec.Command(s.sdd, args...)
	cmd.Dir = s.corpus.root
	out, err := cmd.Output()
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		err = fmt.Errorf("sdd %s: %w: %s", args[0], err, bytes.TrimSpace(exit.Stderr))
	}
	return out, err
}

// counter is a number that many change.
type counter struct {
	mu sync.Mutex
	n  int
}

// add returns the new value.
func (c *counter) add() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
	return c.n
}

func (c *counter) value() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}

// faults are what must not happen.
type faults struct {
	mu    sync.Mutex
	log   io.Writer
	all   []string
	count int
}

const mostFaults = 100 // that are kept

func (f *faults) add(who string, err error) {
	if errors.Is(err, context.Canceled) {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if len(f.all) < mostFaults {
		text := fmt.Sprintf("%s %s: %v", time.Now().UTC().Format(time.TimeOnly), who, err)
		f.all = append(f.all, text)
		fmt.Fprintln(f.log, "soak: FAULT", text)
	}
}
