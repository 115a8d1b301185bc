package fact

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/store"
)

// The tests of this file run the test binary again as other processes.

const childEnv = "SDD_FACT_TEST_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childEnv); dir != "" {
		if err := child(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	longtest.Patient()
	cache, err := os.MkdirTemp("", "sdd-fact")
	if err != nil {
		panic(err)
	}
	for _, name := range []string{"XDG_CACHE_HOME", "LocalAppData", "HOME"} { // where discovery keeps what it finds outside of a store
		os.Setenv(name, cache)
	}
	code := m.Run()
	os.RemoveAll(cache)
	os.Exit(code)
}

// child adds the fact that all add, each from another source.
func child(dir string) error {
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	f := New(st, ix)
	defer f.Close()
	got, err := f.Add(context.Background(), Input{Content: "One thing that many find out", Source: fmt.Sprint("process ", os.Getpid())})
	if err == nil {
		fmt.Println(got.Action)
	}
	return err
}

// TestManyProcesses has twenty processes add the same fact at once.
func TestManyProcesses(t *testing.T) {
	f := newFixture(t)
	const many = 20
	cmds := make([]*exec.Cmd, many)
	outs := make([]strings.Builder, many)
	for n := range cmds {
		cmds[n] = exec.Command(os.Args[0], "-test.run=^$")
		cmds[n].Env = append(os.Environ(), childEnv+"="+f.dir)
		cmds[n].Stdout, cmds[n].Stderr = &outs[n], os.Stderr
		if err := cmds[n].Start(); err != nil {
			t.Fatal(err)
		}
	}
	actions := map[string]int{}
	for n, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
		actions[strings.TrimSpace(outs[n].String())]++
	}
	if actions[Created] != 1 || actions[Updated] != many-1 {
		t.Errorf("actions: %v", actions)
	}
	if len(f.files()) != 1 {
		t.Fatalf("files: %v", f.files())
	}
	all, err := f.All(t.Context())
	if err != nil || len(all) != 1 {
		t.Fatal(all, err)
	}
	if n := strings.Count(all[0].Evidence, "- process "); n != many-1 || all[0].Source == "" {
		t.Errorf("%d of the other sources are kept: %+v", n, all[0])
	}
}
