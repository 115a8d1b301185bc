package learning

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The tests of this file run the test binary again as other processes.

const childEnv = "SDD_LEARNING_TEST_CHILD"

func TestMain(m *testing.M) {
	if job := os.Getenv(childEnv); job != "" {
		if err := child(job); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	longtest.Patient()
	os.Exit(m.Run())
}

// job is what a child does.
type job struct {
	Kind, Dir string
	Agent     string
	Seed      uint64
	Steps     int
	Stop      string // where it dies
	ID        string
}

func child(text string) error {
	var j job
	if err := json.Unmarshal([]byte(text), &j); err != nil {
		return err
	}
	st, err := store.Open(store.Options{Dir: j.Dir})
	if err != nil {
		return err
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	l := New(st, ix)
	defer l.Close()
	ctx := context.Background()
	switch j.Kind {
	case "learn":
		got, err := l.Learn(ctx, Input{Content: "One thing that many find out", Agent: j.Agent})
		if err == nil {
			fmt.Println(got.Results[0].Action)
		}
		return err
	case "walk":
		return walk(ctx, l, j)
	case "done":
		left := j.Steps
		l.step = func(point string) error {
			if point == j.Stop {
				if left--; left <= 0 {
					os.Exit(7)
				}
			}
			return nil
		}
		_, err := l.Review(ctx, Action{Action: "done", IDs: []string{j.ID}})
		return err
	}
	return errors.New("unknown job")
}

// start runs a job in another process; its output comes from the function returned, when it has ended.
func start(t *testing.T, j job) func() (string, error) {
	t.Helper()
	data, err := json.Marshal(j)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), childEnv+"="+string(data))
	var out, errs strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return func() (string, error) {
		err := cmd.Wait()
		if err != nil && errs.Len() > 0 {
			err = fmt.Errorf("%w: %s", err, errs.String())
		}
		return out.String(), err
	}
}

// TestManyProcesses has twenty processes find out the same thing at once.
func TestManyProcesses(t *testing.T) {
	f := newFixture(t)
	const many = 20
	var waits []func() (string, error)
	for n := range many {
		waits = append(waits, start(t, job{Kind: "learn", Dir: f.dir, Agent: fmt.Sprintf("ed-%03d", n)}))
	}
	actions := map[string]int{}
	for _, wait := range waits {
		out, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		actions[strings.TrimSpace(out)]++
	}
	if actions[Created] != 1 || actions[Joined] != many-1 {
		t.Errorf("actions: %v", actions)
	}
	if names := f.files(); len(names) != 1 {
		t.Fatalf("files: %v", names)
	}
	list, _, _, err := f.List(t.Context(), Filter{})
	if err != nil || len(list) != 1 || len(list[0].Agents) != many {
		t.Errorf("an agent is missing: %+v, %v", list, err)
	}
	events, _, err := f.Events(t.Context(), "", 100)
	if err != nil || len(events) != many || events[0].Event != "idea:yellow_created" {
		t.Errorf("%d events, %v", len(events), err)
	}
	m, err := f.Metrics(t.Context())
	if err != nil || m.Total != 1 || m.DuplicatesPrevented != many-1 {
		t.Errorf("metrics: %+v, %v", m, err)
	}
}

// TestWalks has two processes move learnings at random. Each move that a process got as done must have been
// allowed by the state that the moves of both, in the order of the events, lead to.
func TestWalks(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for n := range 4 {
		ids = append(ids, f.learn(Input{Content: fmt.Sprintf("Thing %d is so", n)}).ID)
	}
	var waits []func() (string, error)
	for n := range 2 {
		waits = append(waits, start(t, job{Kind: "walk", Dir: f.dir, Seed: uint64(n), Steps: 60, ID: strings.Join(ids, ",")}))
	}
	made := map[string]int{} // moves that were answered, by learning
	for _, wait := range waits {
		out, err := wait()
		if err != nil {
			t.Fatal(err)
		}
		for row := range strings.Lines(out) {
			w := strings.Fields(row) // id action from to
			if len(w) != 4 {
				t.Fatalf("said %q", row)
			}
			if m := life.Step(w[1]); !slices.Contains(m.From, w[2]) && m.From != nil || w[3] != m.To {
				t.Errorf("%s went from %s to %s by %s", w[0], w[2], w[3], w[1])
			}
			if w[2] != w[3] {
				made[w[0]+" "+w[2]]++
				made[w[0]+" "+w[3]]--
			}
		}
	}
	for _, id := range ids {
		// Each move leaves one status and enters another: only then do both processes' moves make one path.
		last := f.get(id).Status
		for _, s := range record.StatusesOf(record.Idea, record.Learning) {
			want := 0
			if s == active {
				want++
			}
			if s == last {
				want--
			}
			if got := made[id+" "+s]; got != want {
				t.Errorf("%s: %s was left %d times more than entered, want %d (it is %s)", id, s, got, want, last)
			}
		}
	}
}

func walk(ctx context.Context, l *Learnings, j job) error {
	r := rand.New(rand.NewPCG(j.Seed, 1))
	ids := strings.Split(j.ID, ",")
	verbs := strings.Fields("validate outdate archive resurrect delete restore")
	for range j.Steps {
		a := Action{Action: verbs[r.IntN(len(verbs))], IDs: []string{ids[r.IntN(len(ids))]}}
		got, err := l.Review(ctx, a)
		if fault.Is(err, fault.Invalid) {
			continue // not from there
		}
		if err != nil {
			return err
		}
		for _, m := range got.Items {
			fmt.Println(m.ID, a.Action, m.From, m.To)
		}
	}
	return nil
}

// TestDoneDies kills the process that sets a parent to done, before each of its learnings.
func TestDoneDies(t *testing.T) {
	for _, c := range []struct {
		times int
		local bool // what is private is deleted, too
	}{{1, false}, {1, true}, {2, false}, {3, true}} {
		f := newFixture(t)
		got, err := f.Add(t.Context(), Input{Color: "green", Content: "Build the gate", Status: active})
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for n := range 3 {
			ids = append(ids, f.learn(Input{Content: fmt.Sprintf("Thing %d is so", n), Parent: got.ID, Scope: "global"}).ID)
		}
		other := f.learn(Input{Content: "Something else", Scope: "global"})
		die(t, job{Kind: "done", Dir: f.dir, ID: got.ID, Stop: "child", Steps: c.times})
		if c.local {
			f.Close()
			if err := os.RemoveAll(filepath.Join(f.dir, ".sdd", ".local")); err != nil {
				t.Fatal(err)
			}
		}
		// A reader takes all of them for archived, and writes nothing.
		before := contents(t, f)
		for _, id := range ids {
			if i := f.get(id); i.Effective() != archived {
				t.Errorf("%+v: half done: %+v", c, i)
			}
		}
		in, err := f.Inject(t.Context(), "", "", 0)
		if err != nil || !slices.Equal(in.Included, []string{other.ID}) {
			t.Errorf("%+v: injected %v, %v", c, in.Included, err)
		}
		if after := contents(t, f); !slices.Equal(before, after) {
			t.Errorf("%+v: reading wrote to records", c)
		}
		if _, err := f.Check(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		f.archived(ids)
		if i := f.get(got.ID); i.Status != done {
			t.Errorf("%+v: the parent: %+v", c, i)
		}
	}
}

// TestOutsideDoneDies completes the archiving of an outside parent's learnings by the same call again.
func TestOutsideDoneDies(t *testing.T) {
	f := newFixture(t)
	var ids []string
	for n := range 3 {
		ids = append(ids, f.learn(Input{Content: fmt.Sprintf("Thing %d is so", n), Parent: "GATE-7", Scope: "global"}).ID)
	}
	die(t, job{Kind: "done", Dir: f.dir, ID: "GATE-7", Stop: "child", Steps: 2})
	if _, err := f.Review(t.Context(), Action{Action: "done", IDs: []string{"GATE-7"}}); err != nil {
		t.Fatal(err)
	}
	f.archived(ids)
}

// die runs a job that kills its process.
func die(t *testing.T, j job) {
	t.Helper()
	_, err := start(t, j)()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 7 {
		t.Fatalf("%+v: it did not die: %v", j, err)
	}
}

// archived checks that the files of ideas say that their parent is done.
func (f *fixture) archived(ids []string) {
	f.t.Helper()
	for _, id := range ids {
		if i := f.get(id); i.Status != archived || i.Verdict != nil || i.ArchivedReason != parentDone || i.ArchivedAt == "" {
			f.t.Errorf("not completed: %+v", i)
		}
	}
}

// contents are the bytes of all ideas.
func contents(t *testing.T, f *fixture) []string {
	t.Helper()
	var out []string
	for _, name := range f.files() {
		out = append(out, name+"\n"+f.read(".sdd/ideas/"+name))
	}
	return out
}

// TestReadersAndWriters uses one Learnings from many goroutines.
func TestReadersAndWriters(t *testing.T) {
	f := newFixture(t)
	f.Learnings.now = time.Now
	var all sync.WaitGroup
	for n := range 4 {
		all.Go(func() {
			for k := range 8 {
				got, err := f.Learn(context.Background(), Input{Content: fmt.Sprintf("Thing %d of %d is so", k, n), Agent: "ed-1", Parent: "GATE-7"})
				if err != nil {
					t.Error(err)
					return
				}
				in, err := f.Inject(context.Background(), "ed-2", "thing", 4000)
				if err != nil || !slices.Contains(in.Included, got.Results[0].ID) {
					t.Errorf("not injected: %v, %v", in.Included, err)
				}
				if _, err := f.Review(context.Background(), Action{Action: "validate", IDs: []string{got.Results[0].ID}}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}
