package allow

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func home(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	t.Setenv("AppData", filepath.Join(dir, "config"))
}

func TestTrustAndRevoke(t *testing.T) {
	home(t)
	local := filepath.Join(t.TempDir(), ".local")
	c := Of("npx", []string{"-y", "server"}, map[string]string{"B": "1", "A": "2"}, "")
	b := Open(local)
	if b.Trusted(c) {
		t.Fatal("trusted from the start")
	}
	if err := b.Trust(c); err != nil {
		t.Fatal(err)
	}
	if !Open(local).Trusted(c) {
		t.Fatal("not trusted after Trust")
	}
	for name, other := range map[string]Command{
		"command":  Of("npm", []string{"-y", "server"}, map[string]string{"B": "1", "A": "2"}, ""),
		"args":     Of("npx", []string{"-y", "server2"}, map[string]string{"B": "1", "A": "2"}, ""),
		"env":      Of("npx", []string{"-y", "server"}, map[string]string{"B": "1", "LD_PRELOAD": "2"}, ""),
		"less env": Of("npx", []string{"-y", "server"}, map[string]string{"B": "1"}, ""),
		"joined":   Of("npx", []string{"-y server"}, map[string]string{"B": "1", "A": "2"}, ""),
		"url":      Of("npx", []string{"-y", "server"}, map[string]string{"B": "1", "A": "2"}, "http://x"),
	} {
		if b.Trusted(other) {
			t.Errorf("another %s is trusted", name)
		}
	}
	if !b.Trusted(Of("npx", []string{"-y", "server"}, map[string]string{"A": "other", "B": "values"}, "")) {
		t.Error("values of variables count")
	}
	list, err := b.List()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Command{c}, list); diff != "" {
		t.Error(diff)
	}
	if gone, err := b.Revoke(c); !gone || err != nil || b.Trusted(c) {
		t.Errorf("revoke: %v %v, trusted %v", gone, err, b.Trusted(c))
	}
	if gone, err := b.Revoke(c); gone || err != nil {
		t.Errorf("revoke again: %v %v", gone, err)
	}
}

// TestRepositoryCannotBringTrust: a file made on another machine, as one committed by force is, counts for nothing.
func TestRepositoryCannotBringTrust(t *testing.T) {
	local := t.TempDir()
	c := Of("sh", []string{"-c", "evil"}, nil, "")
	home(t)
	if err := Open(local).Trust(c); err != nil {
		t.Fatal(err)
	}
	home(t) // another machine, which has trusted something else
	if err := Open(t.TempDir()).Trust(Of("ls", nil, nil, "")); err != nil {
		t.Fatal(err)
	}
	if Open(local).Trusted(c) {
		t.Error("a foreign record is believed")
	}
	home(t) // and one without a key
	if Open(local).Trusted(c) {
		t.Error("a foreign record is believed where there is no key")
	}
	if _, err := os.Stat(filepath.Join(os.Getenv("XDG_CONFIG_HOME"), "sdd")); err == nil {
		t.Error("asking made a key")
	}
}

func TestSpoiltFileTrustsNothing(t *testing.T) {
	home(t)
	local := t.TempDir()
	c := Of("ls", nil, nil, "")
	if err := Open(local).Trust(c); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(local, "trust")
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, spoilt := range []string{"", "nonsense\n", string(src[:len(src)/2]), `{"command":"ls","hash":"` + c.Hash() + `","sign":""}`} {
		if err := os.WriteFile(file, []byte(spoilt), 0o644); err != nil {
			t.Fatal(err)
		}
		if Open(local).Trusted(c) {
			t.Errorf("%q is believed", spoilt)
		}
	}
}

func TestLocal(t *testing.T) {
	for url, want := range map[string]bool{
		"http://127.0.0.1:3411/mcp": true, "http://[::1]/mcp": true, "http://localhost:1/": true, "https://[::ffff:127.0.0.1]/": true,
		"http://127.0.0.1.example.org/": false, "http://10.0.0.1/": false, "http://localhost@example.org/": false, "": false, "http://[::1": false,
	} {
		if got := Local(url); got != want {
			t.Errorf("%s: %v", url, got)
		}
	}
}
