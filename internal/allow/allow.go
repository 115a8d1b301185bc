// Package allow knows which commands named in a repository the program may start: a cloned repository can name any, so the user approves
// each one once on each machine. An approval is signed with a key in the user's own configuration folder: a repository can contain none.
package allow

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/atomicfile"
	"sdd/internal/fault"
)

// Command is what the user can trust: a command line and the names of the variables that are set for it, or an address.
type Command struct {
	Command string   `json:"command,omitempty"`
	Args    []string `json:"args,omitempty"`
	Env     []string `json:"env,omitempty"` // names only
	URL     string   `json:"url,omitempty"`
}

// Hash identifies the command: the same command has the same hash on every machine.
func (c Command) Hash() string {
	c.Env = slices.Sorted(slices.Values(c.Env))
	data, err := json.Marshal([]any{c.Command, append([]string{}, c.Args...), append([]string{}, c.Env...), c.URL})
	if err != nil {
		panic(err) // texts only
	}
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// String is the command in readable form.
func (c Command) String() string {
	if c.URL != "" {
		return c.URL
	}
	out := append(slices.Sorted(slices.Values(c.Env)), c.Command)
	for i := range c.Env {
		out[i] += "=…"
	}
	return strings.Join(append(out, c.Args...), " ")
}

// Book has the commands that the user trusts in one store.
type Book struct{ file string }

// Open returns the trusted commands of the store whose private folder is local. It reads and creates no files.
func Open(local string) *Book { return &Book{filepath.Join(local, "trust")} }

// entry is one line of the file.
type entry struct {
	Command
	Hash string `json:"hash"`
	Sign string `json:"sign"`
}

// Trusted reports whether the user has trusted the command on this machine; false for an unreadable file.
func (b *Book) Trusted(c Command) bool {
	list, err := b.List()
	return err == nil && slices.ContainsFunc(list, func(t Command) bool { return t.Hash() == c.Hash() })
}

// List returns the trusted commands, sorted.
func (b *Book) List() ([]Command, error) {
	src, err := os.ReadFile(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, b.failed("read", err)
	}
	key, err := readKey()
	if err != nil {
		return nil, nil // without a key there is no valid trust
	}
	var out []Command
	for line := range strings.Lines(string(src)) {
		var e entry
		if json.Unmarshal([]byte(line), &e) == nil && e.Hash == e.Command.Hash() && hmac.Equal([]byte(e.Sign), []byte(sign(key, e.Hash))) {
			out = append(out, e.Command)
		}
	}
	slices.SortFunc(out, func(a, b Command) int { return strings.Compare(a.String(), b.String()) })
	return out, nil
}

// Trust records that the program may start the command on this machine.
func (b *Book) Trust(c Command) error {
	if b.Trusted(c) {
		return nil
	}
	list, err := b.List()
	if err != nil {
		return err
	}
	return b.write(append(list, c))
}

// Revoke removes the trust in a command; gone reports whether it was trusted.
func (b *Book) Revoke(c Command) (gone bool, err error) {
	list, err := b.List()
	if err != nil {
		return false, err
	}
	kept := slices.DeleteFunc(slices.Clone(list), func(t Command) bool { return t.Hash() == c.Hash() })
	if len(kept) == len(list) {
		return false, nil
	}
	return true, b.write(kept)
}

func (b *Book) write(list []Command) error {
	key, err := userKey()
	if err != nil {
		return err
	}
	var out strings.Builder
	for _, c := range list {
		line, err := json.Marshal(entry{c, c.Hash(), sign(key, c.Hash())})
		if err != nil {
			return err
		}
		out.Write(line)
		out.WriteString("\n")
	}
	if err = os.MkdirAll(filepath.Dir(b.file), 0o755); err == nil {
		err = atomicfile.Replace(b.file, []byte(out.String()), atomicfile.Private)
	}
	if err != nil {
		return b.failed("write", err)
	}
	return nil
}

func (b *Book) failed(doing string, err error) error {
	return &fault.Error{Code: fault.Unwritable, Message: "cannot " + doing + " the list of trusted commands: " + err.Error(), Cause: err,
		Hint: "check the rights on .sdd/.local"}
}

func sign(key []byte, hash string) string {
	m := hmac.New(sha256.New, key)
	m.Write([]byte(hash))
	return hex.EncodeToString(m.Sum(nil))
}

const keyBytes = 32

// keyFile is the path of the user's key.
func keyFile() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "sdd", "trust-key"), err
}

func readKey() ([]byte, error) {
	file, err := keyFile()
	if err != nil {
		return nil, err
	}
	key, err := os.ReadFile(file)
	if err == nil && len(key) != keyBytes {
		err = fs.ErrInvalid
	}
	return key, err
}

// userKey returns the key, and creates a missing one.
func userKey() ([]byte, error) {
	if key, err := readKey(); err == nil {
		return key, nil
	}
	file, err := keyFile()
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o700)
	}
	if err == nil {
		key := make([]byte, keyBytes)
		rand.Read(key)
		if err = atomicfile.Replace(file, key, atomicfile.Private); err == nil {
			return key, nil
		}
	}
	return nil, &fault.Error{Code: fault.Unwritable, Message: "the key that signs your trust cannot be kept: " + err.Error(), Cause: err,
		Hint: "let sdd write to your configuration folder (XDG_CONFIG_HOME, or .config in your home folder)"}
}

// Of makes a Command of the parts of a server's configuration.
func Of(command string, args []string, env map[string]string, url string) Command {
	return Command{Command: command, Args: args, Env: slices.Sorted(maps.Keys(env)), URL: url}
}

// Local reports whether an address is on this machine, so that nothing leaves it.
func Local(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return strings.EqualFold(u.Hostname(), "localhost") || ip != nil && ip.IsLoopback()
}

// LastBytes keeps the last Most bytes that a process writes.
type LastBytes struct {
	Most  int
	Bytes []byte
}

func (l *LastBytes) Write(p []byte) (int, error) {
	l.Bytes = append(l.Bytes, p...)
	l.Bytes = slices.Delete(l.Bytes, 0, max(len(l.Bytes)-l.Most, 0))
	return len(p), nil
}
