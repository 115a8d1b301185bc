package sddtest

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Clone is a work tree of a real repository. It uses its own settings and none of this machine's.
type Clone struct {
	T   testing.TB
	Dir string
	Env []string

	running *running // a file that every child process of a command inherits open; nil if the system cannot pass files
}

// running waits until no process has its file open.
type running struct {
	r, w *os.File
}

// Settle waits until the commands' background processes have ended. The test's cleanup calls it too, before it removes the folders.
func (c *Clone) Settle() {
	c.T.Helper()
	if c.running == nil {
		return
	}
	c.running.w.Close()
	io.Copy(io.Discard, c.running.r)
	c.running.r.Close()
	*c.running = newRunning(c.T)
}

// Topic is the file of the record in a new store.
const Topic = ".sdd/explore/topic.md"

// TopicText is its text, as sdd writes it.
const TopicText = `---
title: Topic
project: shop
scope: project
revision: 1
created: 2026-11-21
---

## Goals

- log in by mail
- stay logged in for a month

## Constraints

- no passwords stored

## Unknowns

- which mail service?

## Context

The shop has two million customers.
`

// NewClone makes an empty repository in a folder of that name.
func NewClone(t testing.TB, name string) *Clone {
	t.Helper()
	c := newFolder(t, name)
	c.Git("init", "-q", "-b", "main")
	return c
}

// newFolder is a clone without a repository yet.
func newFolder(t testing.TB, name string) *Clone {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	home := t.TempDir()
	c := &Clone{T: t, Dir: filepath.Join(home, name)}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, "HOME=") {
			c.Env = append(c.Env, v)
		}
	}
	c.Env = append(c.Env, "HOME="+home, "USERPROFILE="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(home),
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_EDITOR=true", "GIT_TEMPLATE_DIR="+filepath.Join(shared.dir, "git"))
	if err := os.MkdirAll(c.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		first := newRunning(t)
		c.running = &first
		t.Cleanup(c.Settle)
	}
	return c
}

// shared has the clones that several tests begin with.
var shared struct {
	sync.Mutex
	dir  string
	made map[string]bool
}

// Filled is a clone named repo with what fill puts there. It is filled once in a package: the next test gets a copy.
func Filled(t testing.TB, what string, fill func(c *Clone)) *Clone {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	kept := filepath.Join(shared.dir, what)
	if !shared.made[what] {
		c := NewClone(t, "repo")
		fill(c)
		c.Settle()
		copied(t, filepath.Dir(c.Dir), kept)
		shared.made[what] = true
		return c
	}
	c := newFolder(t, "repo")
	copied(t, kept, filepath.Dir(c.Dir))
	c.Run("git", "update-index", "-q", "--refresh") // the index names the files that were copied
	return c
}

func copied(t testing.TB, from, to string) {
	t.Helper()
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

func newRunning(t testing.TB) running {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return running{r, w}
}

// NewStore is NewClone with a store that has one record, committed. The clone's drivers are set up.
func NewStore(t testing.TB) *Clone {
	t.Helper()
	return Filled(t, "store", FillStore)
}

// FillStore makes the store of NewStore.
func FillStore(c *Clone) {
	c.SDD("init")
	c.Write(Topic, TopicText)
	c.Commit("base")
}

// At is a clone with the same settings in another folder.
func (c *Clone) At(dir string) *Clone { return &Clone{c.T, dir, c.Env, c.running} }

// With is the clone with further environment variables.
func (c *Clone) With(env ...string) *Clone {
	return &Clone{c.T, c.Dir, append(slices.Clone(c.Env), env...), c.running}
}

// Command is a command in the clone. Settle waits for it and its background processes.
func (c *Clone) Command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	if c.running != nil {
		cmd.ExtraFiles = []*os.File{c.running.w}
	}
	return cmd
}

// Run runs a command in the clone and returns its output on both streams, and its exit code.
func (c *Clone) Run(name string, args ...string) (string, int) {
	c.T.Helper()
	cmd := c.Command(name, args...)
	out, err := cmd.CombinedOutput()
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		c.T.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// Must runs a command and fails the test for another exit code.
func (c *Clone) Must(code int, name string, args ...string) string {
	c.T.Helper()
	out, got := c.Run(name, args...)
	if got != code {
		c.T.Fatalf("%s %s: exit code %d, want %d\n%s", name, strings.Join(args, " "), got, code, out)
	}
	return out
}

func (c *Clone) Git(args ...string) string { c.T.Helper(); return c.Must(0, "git", args...) }
func (c *Clone) SDD(args ...string) string { c.T.Helper(); return c.Must(0, "sdd", args...) }

func (c *Clone) Path(file string) string { return filepath.Join(c.Dir, filepath.FromSlash(file)) }

func (c *Clone) Write(file, text string) {
	c.T.Helper()
	if err := os.MkdirAll(filepath.Dir(c.Path(file)), 0o755); err != nil {
		c.T.Fatal(err)
	}
	if err := os.WriteFile(c.Path(file), []byte(text), 0o644); err != nil {
		c.T.Fatal(err)
	}
}

func (c *Clone) Read(file string) string {
	c.T.Helper()
	b, err := os.ReadFile(c.Path(file))
	if err != nil {
		c.T.Fatal(err)
	}
	return string(b)
}

// Edit replaces texts, and fails the test if the file lacks one.
func (c *Clone) Edit(file string, pairs ...string) {
	c.T.Helper()
	text := c.Read(file)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			c.T.Fatalf("%q is not in %s:\n%s", pairs[i], file, text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	c.Write(file, text)
}

func (c *Clone) Commit(subject string) {
	c.T.Helper()
	c.Git("add", "-A")
	c.Git("commit", "-q", "-m", subject)
}

// Has fails the test unless a file contains the texts in this order; it must lack those that begin with !.
func (c *Clone) Has(file string, texts ...string) {
	c.T.Helper()
	got := c.Read(file)
	rest := got
	for _, want := range texts {
		if not, ok := strings.CutPrefix(want, "!"); ok {
			if strings.Contains(got, not) {
				c.T.Errorf("%q is in %s:\n%s", not, file, got)
			}
			continue
		}
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			c.T.Fatalf("%q is not in its place in %s:\n%s", want, file, got)
		}
		rest = after
	}
}

// Clean fails the test if the work tree has conflicts or changes.
func (c *Clone) Clean() {
	c.T.Helper()
	if s := c.Git("status", "--porcelain"); s != "" {
		c.T.Errorf("git status:\n%s", s)
	}
}

// CandidateFile is a candidate as a user may write it.
func CandidateFile(id, status, text string) string {
	return "---\nid: " + id + "\nlevel: 1\ndomain: auth\nkind: fact\nconfidence: 0.7\nstatus: " + status + "\n---\n\n" + text +
		"\n\n## Evidence\n\n- commit `a1b2` in `auth.go#L3`: `ttl = 15`\n"
}
