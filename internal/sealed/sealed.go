// Package sealed encrypts the records of scope private with age, and decrypts them with the user's key. The store has their files.
package sealed

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"filippo.io/age"
	"filippo.io/age/armor"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
)

const (
	Folder  = "private" // below .sdd
	Ext     = ".age"    // behind the name that the record's file would have in plain
	Section = "private" // of config.yaml
	KeyEnv  = "SDD_AGE_IDENTITY"
)

// ErrNoKey reports that none of the user's keys opens a record.
var ErrNoKey = errors.New("no key")

// Keys are the user's keys and the recipients of what is saved.
type Keys struct {
	identities []age.Identity
	recipients []string
	own        []string // the recipients that are the user
	local      string   // the private folder of the store, which knows what the user trusts
	err        error    // of reading the keys
}

// Open reads the user's keys, from the file that SDD_AGE_IDENTITY names, else from sdd/age.txt in the user's configuration. A user without
// a key is no failure: Decrypt then returns ErrNoKey. local is the private folder of the store.
func Open(c config.Config, local string) *Keys {
	k := &Keys{recipients: Recipients(c), local: local}
	src, err := os.ReadFile(KeyFile())
	if err != nil {
		return k
	}
	if k.identities, k.err = age.ParseIdentities(bytes.NewReader(src)); k.err != nil {
		k.err = fault.New(fault.Broken, "the key file %q is no identity of age", KeyFile()). // its text does not belong into a message
													With("age-keygen makes one; " + KeyEnv + " names another file")
	}
	for _, i := range k.identities {
		switch i := i.(type) {
		case *age.X25519Identity:
			k.own = append(k.own, i.Recipient().String())
		case *age.HybridIdentity:
			k.own = append(k.own, i.Recipient().String())
		}
	}
	return k
}

// KeyFile is the path of the file with the user's keys.
func KeyFile() string {
	if file := os.Getenv(KeyEnv); file != "" {
		return file
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "sdd", "age.txt")
}

// Recipients returns those of config.yaml.
func Recipients(c config.Config) (out []string) {
	m, _ := c.Sections[Section].(map[string]any)
	list, _ := m["recipients"].([]any)
	for _, v := range list {
		if s, ok := v.(string); ok {
			out = append(out, strings.TrimSpace(s))
		}
	}
	return out
}

// Access is what the user trusts before records are encrypted for others: a branch can name any recipient.
func Access(recipients []string) allow.Command {
	return allow.Command{Command: "encrypt private records for", Args: recipients}
}

// Is reports whether a path, relative to anything above the store's folder, is that of an encrypted record.
func Is(file string) bool {
	return strings.Contains("/"+filepath.ToSlash(file), "/.sdd/"+Folder+"/") && strings.HasSuffix(file, Ext)
}

// Plain returns the path that a record has in memory, relative to .sdd, for the path of its encrypted file.
func Plain(file string) string { return path.Clean(strings.TrimSuffix(file, Ext)) }

// OnDisk returns the path of a record's file for the path that the record has in memory: with Ext for a private one.
func OnDisk(path string) string {
	if strings.HasPrefix(path, Folder+"/") {
		return path + Ext
	}
	return path
}

// Sealed reports whether a text is a whole encrypted record. What is between its first and last line may be damaged.
func Sealed(src []byte) bool {
	return bytes.HasPrefix(src, []byte(armor.Header+"\n")) && bytes.HasSuffix(bytes.TrimRight(src, "\r\n"), []byte("\n"+armor.Footer))
}

// Decrypt returns the text of an encrypted record. The error is ErrNoKey, or Broken: not encrypted, or changed or cut off since.
func (k *Keys) Decrypt(src []byte) ([]byte, error) {
	src = bytes.ReplaceAll(src, []byte("\r\n"), []byte("\n"))
	if !Sealed(src) {
		if bytes.HasPrefix(src, []byte(armor.Header)) {
			return nil, damaged()
		}
		return nil, fault.New(fault.Broken, "the file is not encrypted").
			With("remove it from here and from git's history, and save its text again")
	}
	if len(k.identities) == 0 {
		return nil, ErrNoKey
	}
	r, err := age.Decrypt(armor.NewReader(bytes.NewReader(src)), k.identities...)
	if none := (*age.NoIdentityMatchError)(nil); errors.As(err, &none) {
		return nil, ErrNoKey
	}
	if err != nil {
		return nil, damaged()
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		return nil, damaged()
	}
	return plain, nil
}

func damaged() error {
	return fault.New(fault.Broken, "the encrypted record was changed or cut off after it was saved").
		With("take it from git again, for instance: git checkout HEAD -- FILE")
}

// Encrypt returns a text encrypted for the recipients of config.yaml, who must include the user. The fault is Unavailable when there is no
// key, no recipient, or one whom the user has not trusted.
func (k *Keys) Encrypt(plain []byte) ([]byte, error) {
	refuse := func(hint, format string, args ...any) ([]byte, error) {
		return nil, fault.New(fault.Unavailable, format, args...).For("scope").With(hint)
	}
	switch {
	case k.err != nil:
		return nil, k.err
	case len(k.own) == 0:
		return refuse("make one: mkdir -p "+filepath.Dir(KeyFile())+" && age-keygen -o "+KeyFile(),
			"scope private needs your key, and there is none")
	case len(k.recipients) == 0:
		return refuse("private: {recipients: ["+k.own[0]+"]} names you", ".sdd/%s names no recipients of private records", config.Name)
	case !slices.ContainsFunc(k.own, func(r string) bool { return slices.Contains(k.recipients, r) }):
		return refuse("add "+k.own[0]+" to private.recipients", "you could not read the record: .sdd/%s does not name you", config.Name)
	case k.Others() && !allow.Open(k.local).Trusted(Access(k.recipients)):
		return refuse("look at private.recipients there, then run: sdd trust private",
			".sdd/%s names recipients of private records whom you have not trusted on this machine", config.Name)
	}
	to, err := age.ParseRecipients(strings.NewReader(strings.Join(k.recipients, "\n")))
	if err != nil {
		return refuse("a recipient is age1…, as age-keygen -y prints it", "private.recipients of .sdd/%s: %v", config.Name, err)
	}
	var out bytes.Buffer
	lines := armor.NewWriter(&out)
	w, err := age.Encrypt(lines, to...)
	if err == nil {
		_, err = w.Write(plain)
		err = cmp.Or(err, w.Close(), lines.Close())
	}
	if err != nil {
		return refuse("check private.recipients", "the record cannot be encrypted: %v", err)
	}
	return out.Bytes(), nil
}

// Others reports whether a user with a key encrypts for others too, who must be trusted.
func (k *Keys) Others() bool {
	return len(k.own) > 0 && slices.ContainsFunc(k.recipients, func(r string) bool { return !slices.Contains(k.own, r) })
}

// Err is the failure of reading the key file, nil for a user without one.
func (k *Keys) Err() error { return k.err }

// ForReading returns the keys for text that no store names, such as git's.
func ForReading() *Keys { return Open(config.Config{}, "") }
