package tier

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"sdd/internal/git"
)

// Policy says which records an answer may use.
type Policy struct {
	Least   Tier     // Unknown for all
	Authors []string // e-mail addresses whose signed commits count; none for everyone with a key
	Keys    string   // the file of the default branch with allowed signers, as ssh-keygen reads it; "" for none
}

// Section is the name of the policy in config.yaml.
const Section = "trust"

// Levels are the values of trust.answers, the loosest first.
var Levels = []string{"all", "branch", "main", "signed"}

var least = map[string]Tier{"branch": Branch, "main": Main, "signed": Signed}

// PolicyOf reads the policy of config.yaml. Values that are none are left out: sdd check reports them.
func PolicyOf(section any) (p Policy) {
	m, _ := section.(map[string]any)
	level, _ := m["answers"].(string)
	p.Least = least[level]
	p.Keys, _ = m["keys"].(string)
	list, _ := m["authors"].([]any)
	for _, a := range list {
		if s, ok := a.(string); ok {
			p.Authors = append(p.Authors, strings.ToLower(s))
		}
	}
	return p
}

// Within returns the policy under that of the default branch, which it can only make stricter, and which alone says who may sign.
func (p Policy) Within(base Policy) Policy {
	base.Least = max(base.Least, p.Least)
	return base
}

// Allows reports whether an answer may use a record. What is the user's own is never withheld.
func (p Policy) Allows(t Tier) bool { return t >= p.Least }

// OnBase returns a file of the default branch, nil when there is none. path is below the folder of records.
func (t *Tree) OnBase(ctx context.Context, path string) []byte {
	repo, base := t.onBase()
	if base == "" {
		return nil
	}
	src, _ := repo.Show(ctx, base, t.within(repo.Top)+"/"+path)
	return src
}

// onBase returns the repository and the commit of its default branch, "" for none.
func (t *Tree) onBase() (repo *git.Repo, base string) {
	repo, err := git.Open(t.dir)
	if err != nil {
		return nil, ""
	}
	return repo, repo.Default()
}

// Sign returns Signed for a record whose last change on the default branch an author of the policy signed with a key of it, else Main.
func (t *Tree) Sign(ctx context.Context, p Policy, path string) Tier {
	repo, base := t.onBase()
	if base == "" || p.Keys == "" {
		return Main
	}
	out := t.verified(ctx, repo, p, "log", "-1", "--format=%G?%n%ae%n%GS", base, "--", t.within(repo.Top)+"/"+path)
	f := strings.Split(string(out), "\n")
	if len(f) < 3 || f[0] != "G" {
		return Main
	}
	author := strings.ToLower(f[1])
	if len(p.Authors) > 0 && (!slices.Contains(p.Authors, author) || author != strings.ToLower(f[2])) {
		return Main
	}
	return Signed
}

// Signatures says of commits whether they are signed, and by whom, in a few words. It leaves out commits that git does not know.
func (t *Tree) Signatures(ctx context.Context, p Policy, commits []string) map[string]string {
	repo, err := git.Open(t.dir)
	if err != nil || len(commits) == 0 {
		return nil
	}
	out := map[string]string{}
	text := t.verified(ctx, repo, p, append([]string{"log", "--no-walk=unsorted", "--format=%H %G? %GS"}, commits...)...)
	for line := range strings.Lines(string(text)) {
		if f := strings.SplitN(strings.TrimSpace(line), " ", 3); len(f) > 1 {
			who := strings.Join(f[2:], "")
			old := "signed by " + who + " with a key that is no longer valid"
			words := map[string]string{"N": "not signed", "G": "signed by " + who, "B": "bad signature", "X": old, "Y": old, "R": old}
			out[f[0]] = cmp.Or(words[f[1]], "signed with a key that is not listed")
		}
	}
	return out
}

// verified runs git with the keys of the policy as allowed signers, else git's own settings; nil when git or the keys cannot be read.
func (t *Tree) verified(ctx context.Context, repo *git.Repo, p Policy, args ...string) []byte {
	if base := repo.Default(); p.Keys != "" && base != "" {
		keys, err := t.signers(ctx, repo, base, p.Keys)
		if err != nil {
			return nil
		}
		file, err := os.CreateTemp("", "sdd-signers-*")
		if err != nil {
			return nil
		}
		defer os.Remove(file.Name())
		_, err = file.Write(keys)
		if closed := file.Close(); err != nil || closed != nil {
			return nil
		}
		args = append([]string{"-c", "gpg.format=ssh", "-c", "gpg.ssh.allowedSignersFile=" + file.Name()}, args...)
	}
	out, _ := repo.Run(ctx, args...)
	return out
}

// signers returns the file of allowed signers in a commit, which it reads once.
func (t *Tree) signers(ctx context.Context, repo *git.Repo, commit, path string) (keys []byte, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if at := commit + ":" + path; t.keysAt != at {
		if t.keys, err = repo.Show(ctx, commit, path); err != nil {
			return nil, err
		}
		t.keysAt = at
	}
	return t.keys, nil
}

// Unmerged returns those of the commits that the default branch lacks: all of them when one is gone, none when there is no default branch.
func (t *Tree) Unmerged(ctx context.Context, commits []string) map[string]bool {
	repo, base := t.onBase()
	if base == "" || len(commits) == 0 {
		return nil
	}
	out, err := repo.Run(ctx, append(append([]string{"rev-list"}, commits...), "--not", base, "--")...)
	if err != nil {
		out = []byte(strings.Join(commits, "\n"))
	}
	unmerged := map[string]bool{}
	for _, c := range strings.Fields(string(out)) {
		unmerged[c] = true
	}
	return unmerged
}
