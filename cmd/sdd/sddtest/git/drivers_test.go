package git

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInitSetsDrivers(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	out := c.SDD("init", "--json")
	var got struct {
		Created []string
		Git     struct {
			Settings   []struct{ Key, Value string }
			Attributes string
		}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if len(got.Created) != 3 || len(got.Git.Settings) != 4 || !strings.HasSuffix(filepath.ToSlash(got.Git.Attributes), ".git/info/attributes") {
		t.Errorf("sdd init --json:\n%s", out)
	}
	for _, s := range got.Git.Settings {
		if now := c.Git("config", "--local", s.Key); strings.TrimSuffix(now, "\n") != s.Value {
			t.Errorf("%s is %q, said %q", s.Key, now, s.Value)
		}
	}
	if line := c.Git("config", "merge.sdd.driver"); !strings.Contains(line, "sdd merge-driver %O %A %B %L %P") || !strings.Contains(line, "git merge-file") {
		t.Errorf("merge.sdd.driver = %s", line)
	}
	// Again it changes nothing, and says so.
	config, attributes := c.Read(".git/config"), c.Read(".git/info/attributes")
	out = c.SDD("init")
	if strings.Contains(out, "merge.sdd") || c.Read(".git/config") != config || c.Read(".git/info/attributes") != attributes {
		t.Errorf("the second sdd init said\n%s", out)
	}
	c.SDD("doctor")
}

func TestSaveSetsNothing(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	config := c.Read(".git/config")
	c.SDD("explore", "Topic", "--goals", "- x")
	if c.Read(".git/config") != config {
		t.Errorf("a save changed git's configuration:\n%s", c.Read(".git/config"))
	}
	if _, err := os.Stat(c.Path(".git/info/attributes")); err == nil {
		t.Error("a save changed git's attributes")
	}
	if got := c.Git("check-attr", "merge", "diff", "--", topic); got != topic+": merge: sdd\n"+topic+": diff: markdown\n" {
		t.Errorf("attributes:\n%s", got)
	}
	if got := c.Git("status", "--porcelain", "--untracked-files=all"); got != "?? .sdd/.gitattributes\n?? .sdd/.gitignore\n?? .sdd/config.yaml\n?? "+topic+"\n" {
		t.Errorf("git status:\n%s", got)
	}
}

// TestRemoveDrivers: what was there before is there again, byte for byte.
func TestRemoveDrivers(t *testing.T) {
	t.Parallel()
	none := "\x00"
	for name, attributes := range map[string]string{
		"no file":           none,
		"empty":             "",
		"lines":             "*.png binary\n# mine\n",
		"no line end":       "*.png binary",
		"CRLF":              "*.png binary\r\n",
		"byte order mark":   "\ufeff*.png binary\n",
		"blank lines":       "\n\n*.png binary\n\n",
		"diff of one's own": ".sdd/**/*.md diff=mine",
	} {
		t.Run(name, func(t *testing.T) {
			c := newClone(t, "repo")
			c.Git("config", "diff.mine.command", "x")
			file := filepath.Join(".git", "info", "attributes")
			if attributes != none {
				c.Write(file, attributes)
			}
			config := c.Read(".git/config")
			c.SDD("init")
			c.SDD("init")
			if c.Read(".git/config") == config {
				t.Fatal("nothing was set")
			}
			want := "diff: sdd"
			if strings.Contains(attributes, "mine") && name != "lines" {
				want = "diff: mine" // the user's own lines have the last word
			}
			if got := c.Git("check-attr", "diff", "--", topic); !strings.Contains(got, want) {
				t.Errorf("attributes: %s, want %s", got, want)
			}
			if attributes != none {
				if got := c.Git("check-attr", "diff", "--", "x.png"); strings.Contains(attributes, "png") && !strings.Contains(got, "diff: unset") {
					t.Errorf("the user's own attributes: %s", got)
				}
			}
			out := c.SDD("init", "--remove-drivers", "--json")
			if strings.Count(out, `"key"`) != 4 {
				t.Errorf("taken out:\n%s", out)
			}
			if got := c.Read(".git/config"); got != config {
				t.Errorf("configuration before:\n%s\nafter:\n%s", config, got)
			}
			got, err := os.ReadFile(c.Path(file))
			if attributes == none && err == nil || attributes != none && string(got) != attributes {
				t.Errorf("attributes before: %q, after: %q (%v)", attributes, got, err)
			}
			if out := c.SDD("init", "--remove-drivers"); !strings.Contains(out, "nothing of sdd is set") {
				t.Errorf("the second time:\n%s", out)
			}
		})
	}
}

// TestRemoveDriversKeepsLines: what somebody wrote into a file that init made stays.
func TestRemoveDriversKeepsLines(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	c.SDD("init")
	c.Write(".git/info/attributes", c.Read(".git/info/attributes")+"*.png binary\n")
	c.SDD("init")
	c.SDD("init", "--remove-drivers")
	if got := c.Read(".git/info/attributes"); got != "*.png binary\n" {
		t.Errorf("attributes: %q", got)
	}
}

func TestInitInLinkedWorkTree(t *testing.T) {
	t.Parallel()
	c := newClone(t, "repo")
	c.Write("x", "x")
	c.Commit("x")
	c.Git("worktree", "add", "-q", "-b", "linked", c.Dir+" linked")
	w := c.At(c.Dir + " linked")
	w.SDD("init")
	if got := c.Git("check-attr", "diff", "--", topic); !strings.Contains(got, "diff: sdd") {
		t.Errorf("attributes in the main work tree: %s", got)
	}
	if got := c.Git("config", "merge.sdd.driver"); got == "" {
		t.Error("not set in the main work tree")
	}
	w.SDD("doctor")
}

func TestInitWhereGitCannotBeWritten(t *testing.T) {
	t.Parallel()
	if os.Getuid() == 0 {
		t.Log("root may write anything; a lock stands in for it")
	}
	c := newClone(t, "repo")
	c.Write(".git/config.lock", "")
	out := c.SDD("init")
	if !strings.Contains(out, "note: git will merge records as text") || !strings.Contains(out, "made .sdd/config.yaml") {
		t.Errorf("sdd init said\n%s", out)
	}
}

// TestDiffsReadWell compares a clone with the program and one without.
func TestDiffsReadWell(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	branchOff(c, "one", "main", "two million", "three")
	branchOff(c, "one", "one", "for a month\n", "for a month\n- log out everywhere\n")
	plain := withoutSDD(c.At(filepath.Join(t.TempDir(), "plain")))
	c.Git("clone", "-q", c.Dir, plain.Dir)
	for name, c := range map[string]*clone{"with": c, "without": plain} {
		t.Run(name, func(t *testing.T) {
			if out := c.Git("diff", "HEAD~2", "HEAD~1"); !strings.Contains(out, "@@ ## Context\n") && !strings.Contains(out, "@@ ## Unknowns\n") {
				t.Errorf("git diff names no section:\n%s", out)
			}
			out := c.Git("log", "--format=%s", "-L", ":Goals:"+topic)
			if !strings.Contains(out, "+- log out everywhere\n") || strings.Contains(out, "three customers") || strings.Count(out, "diff --git") != 2 {
				t.Errorf("git log -L:\n%s", out)
			}
			if out := c.Git("blame", "-s", "-L", ":Goals", topic); !strings.Contains(out, "- log out everywhere") || strings.Contains(out, "passwords") {
				t.Errorf("git blame -L:\n%s", out)
			}
		})
	}
	// The lines of blame are those of the file.
	lines := strings.Split(strings.TrimSuffix(c.Git("blame", "-s", topic), "\n"), "\n")
	for i, line := range strings.Split(strings.TrimSuffix(c.Read(topic), "\n"), "\n") {
		if i >= len(lines) || !strings.HasSuffix(lines[i], ") "+line) {
			t.Fatalf("line %d of the file is %q, of blame %q", i+1, line, lines[min(i, len(lines)-1)])
		}
	}
	// A patch of an ordinary record can be applied.
	patch := c.Git("diff", "HEAD~2", "HEAD")
	c.Git("checkout", "-q", "HEAD~2")
	c.Write("../patch", patch)
	c.Git("apply", "../patch")
	if s := c.Git("diff", "one"); s != "" {
		t.Errorf("after the patch:\n%s", s)
	}
}

func TestTextconv(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	c.Write(topic, "\ufeff"+strings.ReplaceAll(c.Read(topic), "\n", "\r\n"))
	c.Write("line ends only", "x")
	if out := c.Git("diff", "--", topic); strings.Contains(out, "@@") {
		t.Errorf("line ends and byte order mark are shown as differences:\n%s", out)
	}
	c.Write("x.md", "a \t\nb  \nc\u200bd\u202e \x1b[31m e\U000e0041\nfam \U0001f469\u200d\U0001f467 \u0646\u200c\tx\r\n\xff\xfe")
	if got, want := c.SDD("textconv", "x.md"),
		"a\nb  \nc<U+200B>d<U+202E> <U+001B>[31m e<U+E0041>\nfam \U0001f469\u200d\U0001f467 \u0646\u200c\tx\n<FF><FE>"; got != want {
		t.Errorf("textconv:\n%q\nwant\n%q", got, want)
	}
	if got := c.SDD("textconv", topic); got != topicText {
		t.Errorf("textconv of a record:\n%s", got)
	}
	c.Must(3, "sdd", "textconv", "nothing")
	c.Must(2, "sdd", "textconv")
}

func TestDoctorOnDrivers(t *testing.T) {
	t.Parallel()
	newStore(t).SDD("doctor")
	for _, bad := range []struct {
		name string
		do   func(c *clone) *clone
		code string
		fix  string
	}{
		{"no setting", func(c *clone) *clone { c.Git("config", "--unset", "merge.sdd.driver"); return c }, "merge_driver", "sdd init"},
		{"nothing set", func(c *clone) *clone { c.SDD("init", "--remove-drivers"); return c }, "merge_driver", "sdd init"},
		{"no attribute", func(c *clone) *clone { c.Write(".sdd/.gitattributes", ""); return c }, "merge_attribute", "merge=sdd diff=markdown"},
		{"attribute of another", func(c *clone) *clone {
			c.Edit(".sdd/.gitattributes", "/facts/**/*.md merge=sdd", "/facts/**/*.md merge=union")
			return c
		}, "merge_attribute", "/facts/"},
		{"no way out", func(c *clone) *clone {
			c.Git("config", "merge.sdd.driver", "sdd merge-driver %O %A %B %L %P")
			return c
		}, "merge_driver_fallback", "sdd init"},
		{"no program", func(c *clone) *clone {
			c.Git("config", "merge.sdd.driver", strings.ReplaceAll(strings.TrimSpace(c.Git("config", "merge.sdd.driver")), "sdd merge-driver", "/no/where/sdd merge-driver"))
			c.Git("config", "merge.sdd.driver", strings.Replace(strings.TrimSpace(c.Git("config", "merge.sdd.driver")), "command -v sdd", "command -v '/no/where/sdd'", 1))
			return c
		}, "driver_missing", "PATH"},
		{"no attribute for diffs", func(c *clone) *clone { os.Remove(c.Path(".git/info/attributes")); return c }, "diff_attribute", "sdd init"},
		{"no setting for diffs", func(c *clone) *clone { c.Git("config", "--unset", "diff.sdd.textconv"); return c }, "diff_driver", "sdd init"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			t.Parallel()
			c := bad.do(newStore(t))
			out := c.Must(5, "sdd", "doctor", "--json")
			if !strings.Contains(out, `"code": "`+bad.code+`"`) || !strings.Contains(out, bad.fix) {
				t.Errorf("sdd doctor:\n%s", out)
			}
			if bad.code != "merge_attribute" && bad.code != "driver_missing" {
				c.SDD("init")
				c.SDD("doctor")
			}
		})
	}
}

func TestDoctorOnOtherVersion(t *testing.T) {
	t.Parallel()
	c := newStore(t)
	dir := t.TempDir()
	other := filepath.Join(dir, "sdd")
	if err := os.WriteFile(other, []byte("#!/bin/sh\necho '{\"version\": \"0.0.1\", \"commit\": \"\"}'\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	line := strings.TrimSpace(c.Git("config", "merge.sdd.driver"))
	c.Git("config", "merge.sdd.driver", strings.ReplaceAll(strings.ReplaceAll(line, "sdd merge-driver", other+" merge-driver"), "command -v sdd", "command -v "+other))
	if out := c.Must(5, "sdd", "doctor"); !strings.Contains(out, "version 0.0.1; this is ") {
		t.Errorf("sdd doctor:\n%s", out)
	}
	if err := os.WriteFile(other, []byte("#!/bin/sh\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if out := c.Must(5, "sdd", "doctor"); !strings.Contains(out, "no working sdd") {
		t.Errorf("sdd doctor:\n%s", out)
	}
}
