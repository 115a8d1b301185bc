package decision

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/record"
	"sdd/internal/store"
)

// The tests of this file run the test binary again as other processes.

const childEnv = "SDD_DECISION_TEST_CHILD"

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

// job is what a child does: it records a decision, and dies after the first write when Stop is set.
type job struct {
	Dir  string
	In   Input
	Stop bool
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
	d := New(st, ix)
	defer d.Close()
	if j.Stop {
		d.recorded = func() error { os.Exit(7); return nil }
	}
	out, err := d.Record(context.Background(), j.In)
	if err == nil {
		fmt.Println(out.Results[0].Action)
	}
	return err
}

func run(j job) (string, error) {
	text, err := json.Marshal(j)
	if err != nil {
		return "", err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+string(text))
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

// TestProcesses records one decision from 20 processes, each with a reason of its own.
func TestProcesses(t *testing.T) {
	f := newFixture(t)
	const many = 20
	var mu sync.Mutex
	var work sync.WaitGroup
	var actions []string
	for i := range many {
		work.Go(func() {
			out, err := run(job{Dir: f.dir, In: Input{Decision: "Use JWT", Causes: record.Causes{Reasons: []string{fmt.Sprintf("reason %d", i), "shared"}}}})
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				t.Errorf("%v: %s", err, out)
			}
			actions = append(actions, out)
		})
	}
	work.Wait()
	slices.Sort(actions)
	if got := slices.Compact(slices.Clone(actions)); !slices.Equal(got, []string{Created, Merged}) || actions[1] != Merged || f.files() != "use-jwt.md" {
		t.Errorf("%v, files %s", actions, f.files())
	}
	if d := f.get("use-jwt"); len(d.Because) != many+1 {
		t.Errorf("%d reasons: %q", len(d.Because), d.Because)
	}
}

// TestKilledBetween kills a process between its two writes.
func TestKilledBetween(t *testing.T) {
	f := newFixture(t)
	old := f.record(Input{Decision: "Use cookies"})
	j := job{Dir: f.dir, In: Input{Decision: "Use JWT", Supersedes: old.ID}, Stop: true}
	if _, err := run(j); err == nil {
		t.Fatal("it was not killed")
	}
	if d := f.get(old.ID); d.Status != accepted || d.Effective() != superseded {
		t.Errorf("%+v", d)
	}
	j.Stop = false
	if out, err := run(j); err != nil || out != Merged {
		t.Fatal(out, err)
	}
	if d := f.get(old.ID); d.Status != superseded {
		t.Errorf("%+v", d)
	}
}
