package learning

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/allow"
	"sdd/internal/fault"
	"sdd/internal/store"
)

func TestCommandWords(t *testing.T) {
	for text, want := range map[string][]string{
		"told.sh":                         {"told.sh"},
		"  sh  told.sh\t--a ":             {"sh", "told.sh", "--a"},
		`sh -c 'a "b" c' "d 'e'"`:         {"sh", "-c", `a "b" c`, "d 'e'"},
		`a'b c'd`:                         {"ab cd"},
		`run ""`:                          {"run", ""},
		`"C:\Program Files\told.exe" /q`:  {`C:\Program Files\told.exe`, "/q"},
		"a; rm -rf $HOME | b && c `d` \\": {"a;", "rm", "-rf", "$HOME", "|", "b", "&&", "c", "`d`", "\\"},
	} {
		got, ok := commandWords(text)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%q: %v %s", text, ok, diff)
		}
	}
	for _, text := range []string{"'a", `a "b`, "''", `"" b`} {
		if got, ok := commandWords(text); ok {
			t.Errorf("%q is taken as %q", text, got)
		}
	}
	for _, section := range []any{map[string]any{"on-learning": 3}, map[string]any{"on-learning": " "}, map[string]any{"on-learning": "'x"}} {
		if err := CheckHooks(section); !fault.Is(err, fault.Broken) || !strings.Contains(err.Error(), "hooks.on-learning") {
			t.Errorf("%v: %v", section, err)
		}
	}
	for _, section := range []any{nil, "x", map[string]any{}, map[string]any{"on-learning": nil}, map[string]any{"other": 1}} {
		if _, ok, err := HookCommand(section); ok || err != nil {
			t.Errorf("%v: %v %v", section, ok, err)
		}
	}
}

// hooked is a store whose config.yaml names sh script as its hook. What is to be started is sent.
func hooked(t *testing.T, script string) (*fixture, allow.Command, chan bool) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("needs sh")
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("HOME", t.TempDir())
	f := newFixture(t)
	f.write("told.sh", script)
	f.write(".sdd/config.yaml", "hooks:\n  on-learning: sh told.sh\n")
	starts := make(chan bool, 100)
	f.Hooked(func() error {
		starts <- true
		return nil
	})
	return f, allow.Command{Command: "sh", Args: []string{"told.sh"}}, starts
}

func (f *fixture) told() []HookEvent {
	f.t.Helper()
	src, err := os.ReadFile(filepath.Join(f.dir, "told.txt"))
	if err != nil && !os.IsNotExist(err) {
		f.t.Fatal(err)
	}
	var out []HookEvent
	for row := range strings.Lines(string(src)) {
		var e HookEvent
		if err := json.Unmarshal([]byte(row), &e); err != nil {
			f.t.Fatal(err)
		}
		out = append(out, e)
	}
	return out
}

func TestHook(t *testing.T) {
	f, command, starts := hooked(t, "cat >> told.txt")
	f.learn(Input{Content: "Nobody is told of this", Agent: "ed-001"})
	f.hooks.work.Wait()
	if len(starts) > 0 {
		t.Fatal("what is not trusted is started")
	}
	if err := allow.Open(store.Local(f.dir)).Trust(command); err != nil {
		t.Fatal(err)
	}
	a := f.learn(Input{Content: "The cache is cold after a deploy", Agent: "ed-001"})
	f.act("validate", a.ID)
	<-starts
	run := func() {
		t.Helper()
		if err := f.RunHook(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	run()
	f.hooks.work.Wait()
	run()
	told := f.told()
	var got []string
	for _, e := range told {
		got = append(got, e.Event.Event+" "+e.Learning.Content)
	}
	if diff := cmp.Diff([]string{"idea:yellow_created The cache is cold after a deploy", "idea:updated The cache is cold after a deploy"}, got); diff != "" {
		t.Error(diff)
	}
	if told[1].Learning.Validated != true || told[1].ID == "" {
		t.Errorf("%+v", told[1])
	}
	// One run at a time; the hook does not run for its own changes.
	ran, err := f.st.Alone(t.Context(), hookTask, func(context.Context) error {
		f.learn(Input{Content: "Deploys are on Tuesdays", Agent: "ed-001"})
		run()
		if n := len(f.told()); n != 2 {
			t.Errorf("the hook ran %d times", n)
		}
		return nil
	})
	if !ran || err != nil {
		t.Fatal(ran, err)
	}
	t.Setenv(hookMark, hookKey)
	f.learn(Input{Content: "The hook learned this", Agent: "hook"})
	run()
	if told = f.told(); len(told) != 3 || told[2].Learning.Content != "Deploys are on Tuesdays" {
		t.Errorf("%+v", told)
	}
	// Revoked trust ends it, and it does not run later for what happened meanwhile.
	os.Unsetenv(hookMark)
	if _, err := allow.Open(store.Local(f.dir)).Revoke(command); err != nil {
		t.Fatal(err)
	}
	f.hooks.work.Wait()
	f.learn(Input{Content: "Nobody is told of this either", Agent: "ed-001"})
	f.hooks.work.Wait()
	run()
	if err := allow.Open(store.Local(f.dir)).Trust(command); err != nil {
		t.Fatal(err)
	}
	f.learn(Input{Content: "Told again", Agent: "ed-001"})
	f.hooks.work.Wait()
	run()
	if told = f.told(); len(told) != 4 || told[3].Learning.Content != "Told again" {
		t.Errorf("%+v", told)
	}
}

func TestAHookThatFails(t *testing.T) {
	f, command, _ := hooked(t, "echo one >&2; echo two; exit 4")
	if err := allow.Open(store.Local(f.dir)).Trust(command); err != nil {
		t.Fatal(err)
	}
	failure := func(content string) string {
		t.Helper()
		if got := f.learn(Input{Content: content, Agent: "ed-001"}); got.Action != Created {
			t.Errorf("%+v", got)
		}
		f.hooks.work.Wait()
		if err := f.RunHook(t.Context()); err != nil {
			t.Fatal(err)
		}
		h, ok, err := f.Hook()
		if err != nil || !ok || !h.Trusted {
			t.Fatalf("%+v %v %v", h, ok, err)
		}
		if h.Failed == nil {
			return ""
		}
		return h.Failed.Error
	}
	if got := failure("First"); !strings.Contains(got, "exit status 4: one two") {
		t.Error(got)
	}
	f.hooks.limit = 50 * time.Millisecond
	f.write("told.sh", "sleep 60 & sleep 60")
	if got := failure("Second"); !strings.Contains(got, "did not end within 50ms") {
		t.Error(got)
	}
	f.hooks.limit = hookLimit
	f.write("told.sh", "exit 0")
	if got := failure("Third"); got != "" {
		t.Error(got)
	}
	f.write("told.sh", "head -c 2000000 /dev/zero; exec no-such-program")
	if got := failure("Fourth"); !strings.Contains(got, "exit status 127") || len(got) > 700 {
		t.Error(len(got), got)
	}
}
