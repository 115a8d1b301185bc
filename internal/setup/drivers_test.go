package setup

import (
	"os/exec"
	"strings"
	"testing"
)

// TestShellWord: what is written for the shell is read back, and the shell reads it alike.
func TestShellWord(t *testing.T) {
	for _, path := range []string{"sdd", "/usr/bin/sdd", "C:/Program Files/sdd/sdd.exe", "it's", "$HOME/`x`", `back\slash`, "ünder \"quotes\""} {
		quoted := shellQuote(path)
		if got, rest := shellWord(quoted + " merge-driver"); got != path || rest != " merge-driver" {
			t.Errorf("%s is read as %q, then %q", quoted, got, rest)
		}
		if out, err := exec.Command("sh", "-c", "printf %s "+quoted).Output(); err == nil && string(out) != path {
			t.Errorf("the shell reads %s as %q", quoted, out)
		}
	}
	if got, rest := shellWord("sdd; x"); got != "sdd" || rest != "; x" {
		t.Errorf("%q, then %q", got, rest)
	}
}

func TestBlock(t *testing.T) {
	with, _, err := withBlock([]byte("a b\n"), true)
	if err != nil {
		t.Fatal(err)
	}
	again, _, err := withBlock(with, true)
	if err != nil || string(again) != string(with) {
		t.Errorf("again (%v):\n%s", err, again)
	}
	// An older block with other lines is replaced.
	older := strings.Replace(string(with), "**/.sdd/facts", "**/.sdd/faits", 1)
	if now, _, err := withBlock([]byte(older), true); err != nil || string(now) != string(with) {
		t.Errorf("from an older one (%v):\n%s", err, now)
	}
	// One whose end was deleted is not guessed.
	if _, _, err := withoutBlock([]byte(strings.Replace(string(with), attributeMarks.last, "", 1)), true); err == nil {
		t.Error("a block without an end was taken out")
	}
}
