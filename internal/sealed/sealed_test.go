package sealed

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"filippo.io/age"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
)

// keysOf returns the keys of a user with a new identity, and its recipient.
func keysOf(t testing.TB, recipients ...string) (*Keys, string) {
	t.Helper()
	id, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "age.txt")
	if err := os.WriteFile(file, []byte("# a key\n"+id.String()+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(KeyEnv, file)
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	own := id.Recipient().String()
	list := []any{own}
	for _, r := range recipients {
		list = append(list, r)
	}
	c := config.Config{Sections: map[string]any{Section: map[string]any{"recipients": list}}}
	return Open(c, t.TempDir()), own
}

func TestEncrypt(t *testing.T) {
	eve, evesKey := keysOf(t)
	ann, annsKey := keysOf(t)
	out, err := ann.Encrypt([]byte("the text"))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(out, []byte("the text")) || !Sealed(out) {
		t.Errorf("not encrypted: %s", out)
	}
	if back, err := ann.Decrypt(bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))); err != nil || string(back) != "the text" {
		t.Errorf("decrypted: %q, %v", back, err)
	}
	for name, k := range map[string]*Keys{"another's key": eve, "no key": {}} {
		if _, err := k.Decrypt(out); !errors.Is(err, ErrNoKey) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := ann.Decrypt([]byte("# plain\n")); !fault.Is(err, fault.Broken) {
		t.Errorf("a plain text: %v", err)
	}
	for _, n := range []int{len(out) - 1, len(out) / 2, 60} {
		if _, err := ann.Decrypt(out[:n]); n < len(out)-1 && !fault.Is(err, fault.Broken) {
			t.Errorf("%d bytes of %d: %v", n, len(out), err)
		}
	}
	refused := func(name string, k *Keys) {
		t.Helper()
		if _, err := k.Encrypt([]byte("x")); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	refused("no key", &Keys{recipients: []string{annsKey}})
	refused("no recipients", &Keys{own: []string{annsKey}})
	refused("only others", &Keys{own: []string{annsKey}, recipients: []string{evesKey}})
	both := &Keys{own: []string{annsKey}, recipients: []string{annsKey, evesKey}, local: t.TempDir()}
	refused("another who is not trusted", both)
	if err := allow.Open(both.local).Trust(Access(both.recipients)); err != nil {
		t.Fatal(err)
	}
	if out, err = both.Encrypt([]byte("for both")); err != nil {
		t.Fatal(err)
	}
	if back, err := eve.Decrypt(out); err != nil || string(back) != "for both" {
		t.Errorf("the other: %q, %v", back, err)
	}
}

func TestKeyFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "age.txt")
	if err := os.WriteFile(file, []byte("AGE-SECRET-KEY-1NOTAKEY\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(KeyEnv, file)
	if k := Open(config.Config{}, ""); k.Err() == nil || bytes.Contains([]byte(k.Err().Error()), []byte("NOTAKEY")) {
		t.Errorf("a broken key: %v", k.Err())
	}
	t.Setenv(KeyEnv, file+"-missing")
	if k := Open(config.Config{}, ""); k.Err() != nil {
		t.Errorf("no key: %v", k.Err())
	}
}

// FuzzDecrypt changes an encrypted text: it decrypts to the text or not at all.
func FuzzDecrypt(f *testing.F) {
	k, _ := keysOf(f)
	const text = "a text of some length, so that it has something to lose\n"
	whole, err := k.Encrypt([]byte(text))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole, uint16(0), byte(0))
	f.Add(whole[:len(whole)/2], uint16(100), byte(1))
	f.Add([]byte("-----BEGIN AGE ENCRYPTED FILE-----\n-----END AGE ENCRYPTED FILE-----\n"), uint16(400), byte(32))
	f.Fuzz(func(t *testing.T, src []byte, at uint16, bits byte) {
		changed := bytes.Clone(whole)
		changed[int(at)%len(whole)] ^= bits
		for _, src := range [][]byte{src, changed} {
			if got, err := k.Decrypt(src); err == nil && string(got) != text {
				t.Errorf("another text: %q", got)
			} else if err != nil && !errors.Is(err, ErrNoKey) && !fault.Is(err, fault.Broken) {
				t.Errorf("no fault: %v", err)
			}
		}
	})
}
