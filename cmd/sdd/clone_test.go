package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// clone is a work tree of a real repository, with settings of its own and none of this machine's.
type clone struct {
	t   testing.TB
	dir string
	env []string

	// running is open in every process that a command leaves behind, such as those of hooks. nil where a process cannot be
	// given files.
	running *running
}

// running tells when all processes have ended that have its file open.
type running struct {
	r, w *os.File
}

// settle waits until what commands have left behind has ended. The end of the test does it too, before its folders go.
func (c *clone) settle() {
	c.t.Helper()
	if c.running == nil {
		return
	}
	c.running.w.Close()
	io.Copy(io.Discard, c.running.r)
	c.running.r.Close()
	*c.running = newRunning(c.t)
}

const topic = ".sdd/explore/topic.md"

// topicText is a record as sdd writes it.
const topicText = `---
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

// newClone makes an empty repository in a folder of that name.
func newClone(t testing.TB, name string) *clone {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("git is not here")
	}
	home := t.TempDir()
	c := &clone{t: t, dir: filepath.Join(home, name)}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "XDG_") && !strings.HasPrefix(v, "HOME=") {
			c.env = append(c.env, v)
		}
	}
	c.env = append(c.env, "HOME="+home, "USERPROFILE="+home, "GIT_CONFIG_NOSYSTEM=1", "GIT_CEILING_DIRECTORIES="+filepath.Dir(home),
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=ann@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=ann@example.com",
		"GIT_EDITOR=true")
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" {
		first := newRunning(t)
		c.running = &first
		t.Cleanup(c.settle)
	}
	c.git("init", "-q", "-b", "main")
	return c
}

func newRunning(t testing.TB) running {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return running{r, w}
}

// newStore is newClone with a store that has one record, committed. The clone's drivers are set up.
func newStore(t testing.TB) *clone {
	t.Helper()
	c := newClone(t, "repo")
	c.sdd("init")
	c.write(topic, topicText)
	c.commit("base")
	return c
}

// at is the same settings in another folder.
func (c *clone) at(dir string) *clone { return &clone{c.t, dir, c.env, c.running} }

// with is the clone with more environment.
func (c *clone) with(env ...string) *clone {
	return &clone{c.t, c.dir, append(slices.Clone(c.env), env...), c.running}
}

// run runs a command in the clone and returns what it said on both streams, and its exit code.
func (c *clone) run(name string, args ...string) (string, int) {
	c.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = c.dir, c.env
	if c.running != nil {
		cmd.ExtraFiles = []*os.File{c.running.w}
	}
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return string(out), cmd.ProcessState.ExitCode()
}

// must runs a command that has to end with that exit code.
func (c *clone) must(code int, name string, args ...string) string {
	c.t.Helper()
	out, got := c.run(name, args...)
	if got != code {
		c.t.Fatalf("%s %s: exit code %d, want %d\n%s", name, strings.Join(args, " "), got, code, out)
	}
	return out
}

func (c *clone) git(args ...string) string { c.t.Helper(); return c.must(0, "git", args...) }
func (c *clone) sdd(args ...string) string { c.t.Helper(); return c.must(0, "sdd", args...) }

func (c *clone) path(file string) string { return filepath.Join(c.dir, filepath.FromSlash(file)) }

func (c *clone) write(file, text string) {
	c.t.Helper()
	if err := os.MkdirAll(filepath.Dir(c.path(file)), 0o755); err != nil {
		c.t.Fatal(err)
	}
	if err := os.WriteFile(c.path(file), []byte(text), 0o644); err != nil {
		c.t.Fatal(err)
	}
}

func (c *clone) read(file string) string {
	c.t.Helper()
	b, err := os.ReadFile(c.path(file))
	if err != nil {
		c.t.Fatal(err)
	}
	return string(b)
}

// edit replaces texts, each of which must stand in the file.
func (c *clone) edit(file string, pairs ...string) {
	c.t.Helper()
	text := c.read(file)
	for i := 0; i < len(pairs); i += 2 {
		if !strings.Contains(text, pairs[i]) {
			c.t.Fatalf("%q is not in %s:\n%s", pairs[i], file, text)
		}
		text = strings.Replace(text, pairs[i], pairs[i+1], 1)
	}
	c.write(file, text)
}

func (c *clone) commit(subject string) {
	c.t.Helper()
	c.git("add", "-A")
	c.git("commit", "-q", "-m", subject)
}

// branch makes a branch at another one and commits one change of the topic there.
func (c *clone) branch(name, from string, pairs ...string) {
	c.t.Helper()
	c.git("checkout", "-q", "-B", name, from)
	c.edit(topic, pairs...)
	c.commit(name)
}

// has demands that texts stand in a file, in this order; those that begin with ! must not.
func (c *clone) has(file string, texts ...string) {
	c.t.Helper()
	got := c.read(file)
	rest := got
	for _, want := range texts {
		if not, ok := strings.CutPrefix(want, "!"); ok {
			if strings.Contains(got, not) {
				c.t.Errorf("%q is in %s:\n%s", not, file, got)
			}
			continue
		}
		_, after, ok := strings.Cut(rest, want)
		if !ok {
			c.t.Fatalf("%q is not in its place in %s:\n%s", want, file, got)
		}
		rest = after
	}
}

// clean demands that nothing is in conflict or changed.
func (c *clone) clean() {
	c.t.Helper()
	if s := c.git("status", "--porcelain"); s != "" {
		c.t.Errorf("git status:\n%s", s)
	}
}

// without is the clone with a PATH that has git and a shell, but no sdd.
func (c *clone) without() *clone {
	c.t.Helper()
	var dirs []string
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := exec.LookPath(filepath.Join(dir, "sdd")); err != nil {
			dirs = append(dirs, dir)
		}
	}
	return c.with("PATH=" + strings.Join(dirs, string(filepath.ListSeparator)))
}
