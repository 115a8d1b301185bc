package setup

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"sdd/internal/store"
)

// TestDoctorAsAnotherUser: who may not write into a folder of the store hears it, and nothing is left behind by the question.
func TestDoctorAsAnotherUser(t *testing.T) {
	st, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	if _, err := st.Ensure(); err != nil {
		t.Fatal(err)
	}
	sdd := filepath.Join(st.Dir(), store.Folder)
	explore := filepath.Join(sdd, "explore")
	if err := os.Mkdir(explore, 0o755); err != nil {
		t.Fatal(err)
	}
	open := func(dir string, mode os.FileMode) {
		t.Helper()
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			return os.Chmod(path, mode)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	defer open(sdd, 0o755)
	for _, c := range []struct {
		name, file string
		set        func()
	}{
		{"all open", "", func() { open(sdd, 0o777) }},
		{"explore closed", ".sdd/explore", func() { open(explore, 0o555) }},
		{"root closed", ".sdd", func() { open(explore, 0o777); os.Chmod(sdd, 0o555) }},
	} {
		c.set()
		before := namesBelow(t, sdd)
		var got Checkup
		asNobody(t, func() { got.writable(t.Context(), st) })
		switch {
		case c.file == "" && (len(got.Findings) > 0 || len(got.Checked) != 1):
			t.Errorf("%s: %+v", c.name, got)
		case c.file != "" && (len(got.Findings) != 1 || len(got.Checked) > 0):
			t.Errorf("%s: %+v", c.name, got)
		case c.file != "":
			if f := got.Findings[0]; f.Code != "not_writable" || f.File != c.file || !strings.Contains(f.Text, "no permission") || f.Fix == "" {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
		if after := namesBelow(t, sdd); after != before {
			t.Errorf("%s: there was\n%s\nthere is\n%s", c.name, before, after)
		}
	}
}

// asNobody calls f for a user who is not root. For root that is another one in the eyes of access(2) only, on a
// thread that ends with f.
func asNobody(t *testing.T, f func()) {
	if os.Getuid() != 0 {
		f()
		return
	}
	const nobody, keep = 65534, ^uintptr(0)
	done := make(chan unix.Errno)
	go func() {
		runtime.LockOSThread()
		_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, nobody, keep, keep)
		if errno == 0 {
			f()
		}
		done <- errno
	}()
	if errno := <-done; errno != 0 {
		t.Skip("no other user can be had:", errno)
	}
}

func namesBelow(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	if err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		all.WriteString(path + "\n")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return all.String()
}
