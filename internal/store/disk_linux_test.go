package store

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"sdd/internal/fault"
	"sdd/internal/record"
)

// mountTmpfs gives the test a small file system of its own.
func mountTmpfs(t *testing.T, options string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount("sdd-test", dir, "tmpfs", 0, options); err != nil {
		t.Skipf("this test mounts a small tmpfs, which needs root: %v", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// TestWritableSeesAFullDisk: that all may be written to is not enough.
func TestWritableSeesAFullDisk(t *testing.T) {
	s := openAt(t, mountTmpfs(t, "size=1m"))
	s.mustSave(t, setSection(topic, "Goals", "- first"))
	if err := s.Writable(); err != nil {
		t.Error(err)
	}
	free := fill(t, s.dir, 4<<10)
	if f := wantFault(t, s.Writable(), fault.Unwritable); !strings.Contains(f.Message, "full") {
		t.Error(f)
	}
	free()
	if err := s.Writable(); err != nil {
		t.Error(err)
	}
	if left := files(t, s.abs(tmpFolder)); len(left) > 0 {
		t.Errorf("left %v", left)
	}
}

func TestFullDisk(t *testing.T) {
	s := openAt(t, mountTmpfs(t, "size=8m"))
	s.mustSave(t, setSection(topic, "Goals", "- first"))
	failed, done := 0, 0
	// A little less room each time, so that every step of a save is the one that fails.
	for room := 96 << 10; room >= 0; room -= 4 << 10 {
		free := fill(t, s.dir, room)
		before := s.mustRead(t, topic)
		text := fmt.Sprintf("- %d\n%s", room, strings.Repeat("a line to be stored\n", 1000))
		saved, err := s.Save(t.Context(), setSection(topic, "Goals", text))
		now := s.mustRead(t, topic)
		switch {
		case err == nil:
			done++
			if now != string(saved.After) {
				t.Errorf("room for %d bytes: file is %.40q", room, now)
			}
		default:
			failed++
			if f := wantFault(t, err, fault.Unwritable); !strings.Contains(f.Message, "full") {
				t.Error(f)
			}
			if now != before {
				t.Errorf("room for %d bytes: the file changed to %.40q", room, now)
			}
			if left := files(t, s.abs(tmpFolder)); len(left) > 0 {
				t.Errorf("room for %d bytes: left %v", room, left)
			}
		}
		_, err = s.Save(t.Context(), setSection("facts/new.md", "Goals", text))
		if b, e := os.ReadFile(s.abs("facts/new.md")); err != nil && e == nil && !strings.HasPrefix(string(b), "## Goals\n- ") {
			t.Errorf("room for %d bytes: the new file is %.40q", room, b)
		}
		free()
	}
	if failed == 0 || done == 0 {
		t.Errorf("%d saves failed, %d did not", failed, done)
	}
	s.mustSave(t, setSection(topic, "Goals", "- last"))
	if _, err := s.undoLast("explore/topic"); err != nil {
		t.Errorf("undo: %v", err)
	}
}

// fill leaves room for so many bytes.
func fill(t *testing.T, dir string, room int) (free func()) {
	t.Helper()
	name := filepath.Join(dir, "filler")
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		t.Fatal(err)
	}
	n := int(st.Bavail)*int(st.Bsize) - room
	if err := os.WriteFile(name, bytes.Repeat([]byte{1}, max(0, n)), 0o644); err != nil {
		t.Fatal(err)
	}
	return func() { os.Remove(name) }
}

func TestReadOnlyDisk(t *testing.T) {
	dir := mountTmpfs(t, "size=1m")
	empty := filepath.Join(dir, "empty")
	os.Mkdir(empty, 0o755)
	s := openAt(t, dir)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	s.mustSave(t, setSection(topic, "Goals", "- b"))
	s.byHand(t, "explore/stale.md", "## Goals\n- a\n")
	s.mustSave(t, setSection("explore/stale.md", "Goals", "- tool"))
	s.byHand(t, "explore/stale.md", "## Goals\n- a\n")
	s.byHand(t, "explore/own.md", "## Goals\n- by hand\n") // under a lock that nobody took
	s.Close()
	if err := unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_RDONLY, ""); err != nil {
		t.Skip(err)
	}
	for _, s := range []*Store{s, openAt(t, dir)} {
		_, err := s.Save(t.Context(), setSection(topic, "Goals", "- c"))
		if f := wantFault(t, err, fault.Unwritable); !strings.Contains(f.Message, "read-only") {
			t.Error(f)
		}
		_, err = s.Save(t.Context(), setSection("facts/f.md", "Goals", "- c"))
		wantFault(t, err, fault.Unwritable)
		if got := s.mustRead(t, topic); got != "## Goals\n- b\n" {
			t.Errorf("file is %q", got)
		}
		// All that needs no writing works.
		if done := s.mustSave(t, setSection(topic, "Goals", "- b")); !done.Unchanged {
			t.Errorf("%+v", done)
		}
		if done := s.mustSave(t, setSection("explore/own.md", "Goals", "- by hand")); !done.Unchanged {
			t.Errorf("%+v", done)
		}
		if f, err := s.Read(topic); err != nil || len(f.Bytes) == 0 {
			t.Error(err)
		}
		if got := s.observe(t, "explore/stale.md"); len(got) != 1 {
			t.Errorf("told %v", got)
		}
		if _, ok := s.Version(record.Etag([]byte("## Goals\n- a\n"))); !ok {
			t.Error("the version before is not found")
		}
	}
	s = openAt(t, empty)
	if _, err := s.Ensure(); !fault.Is(err, fault.Unwritable) {
		t.Error(err)
	}
	_, err := s.Save(t.Context(), setSection(topic, "Goals", "- c"))
	wantFault(t, err, fault.Unwritable)
}

// TestOtherUser saves as somebody who may not write there, or to files that are not his own.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("this test starts a process of another user, which needs root")
	}
	s := newStore(t)
	s.mustSave(t, setSection(topic, "Goals", "- a"))
	os.MkdirAll(s.abs("facts"), 0o777)
	for p := s.dir; p != "/tmp" && p != "/"; p = filepath.Dir(p) {
		os.Chmod(p, 0o755)
	}
	run := func() error {
		j := fmt.Sprintf(`{"Kind":"save","Dir":%q,"Count":3,"Records":[%q]}`, s.dir, topic)
		bin := filepath.Join(t.TempDir(), "test")
		if out, err := exec.Command("cp", os.Args[0], bin).CombinedOutput(); err != nil {
			t.Fatal(string(out))
		}
		for p := filepath.Dir(bin); p != "/tmp" && p != "/"; p = filepath.Dir(p) {
			os.Chmod(p, 0o755)
		}
		c := exec.Command(bin)
		c.Dir = "/"
		c.Env = []string{childEnv + "=" + j, "HOME=/", "TMPDIR=/tmp"}
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		out, err := c.CombinedOutput()
		if err != nil {
			return errors.New(string(out))
		}
		return nil
	}
	if err := run(); err == nil || !strings.Contains(err.Error(), "no permission to write") {
		t.Errorf("got %v", err)
	}
	if got := s.mustRead(t, topic); got != "## Goals\n- a\n" {
		t.Errorf("file is %q", got)
	}
	// Everybody may write; the files still belong to root, so there is no lease to be had.
	if out, err := exec.Command("chmod", "-R", "a+rwX", s.sdd).CombinedOutput(); err != nil {
		t.Fatal(string(out))
	}
	if err := run(); err != nil {
		t.Error(err)
	}
	if got := s.mustRead(t, topic); got != "## Goals\n- a\n## Writer 0\n- writer 0 save 2\n" {
		t.Errorf("file is %q", got)
	}
	s.mustSave(t, setSection(topic, "Goals", "- b"))
}

// TestWithoutRenameat2 repeats the tests of a save where the file system lacks the call.
func TestWithoutRenameat2(t *testing.T) {
	real := renameat2Call
	renameat2Call = func(a int, b string, c int, d string, flags uint) error {
		if flags != 0 {
			return unix.EINVAL
		}
		return real(a, b, c, d, flags)
	}
	defer func() { renameat2Call = real }()
	for name, test := range map[string]func(*testing.T){
		"save": TestSaveChangesAndKeeps, "make": TestSaveMakesTheStore, "ensure": TestEnsure, "unchanged": TestUnchangedTouchesNothing,
		"editor": TestEditorBetweenReadAndExchange, "same section": TestEditorChangesTheSameSectionMeanwhile, "merge": TestMergeWithAnEditor,
		"conflict": TestConflictGivesTheEditorItsFileBack, "twice": TestEditorSavesAgainWhileItsFileIsPutBack, "in place": TestASaveInPlaceUnderWayIsWaitedFor,
		"made meanwhile": TestFileMadeMeanwhile, "deleted meanwhile": TestFileDeletedMeanwhile, "kill": TestRecoverAfterAKill,
		"undo": TestUndoWalksBack, "removal": TestUndoOfARemoval, "remove": TestRemoveSeesAnEditor, "held": TestAFileHeldOpenIsLookedAtLater,
	} {
		t.Run(name, test)
	}
}
