package discovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/git"
)

// Identity returns what the repository at root is, wherever it lies: "root:" and its first commit where the history
// is there as a whole, else "remote:" and the name of its remote without host and owner, else "names:" and a hash
// of what its manifests call it, else "none". A known root commit (from an earlier call, "" if there is none) that
// the repository still has is taken without a look at the history, so that the answer costs no more than starting git.
func Identity(ctx context.Context, root, known string) (string, error) {
	if id := rootCommit(ctx, root, known); id != "" {
		return id, ctx.Err()
	}
	r, err := Discover(ctx, root, Options{})
	return r.Identity, err
}

// rootCommit returns the identity by the first commit, "" when there is none or a shallow clone hides it.
func rootCommit(ctx context.Context, root, known string) string {
	repo, err := git.Open(root)
	if err != nil || !git.Available() {
		return ""
	}
	if id, ok := strings.CutPrefix(known, "root:"); ok && isObjectID(id) {
		if _, err := repo.Run(ctx, "cat-file", "-e", id+"^{commit}"); err == nil {
			return known
		}
	}
	if _, err := os.Stat(filepath.Join(repo.Common, "shallow")); err == nil {
		return ""
	}
	for _, rev := range []string{"refs/remotes/origin/HEAD", "refs/heads/main", "refs/heads/master", "HEAD"} {
		out, err := repo.Run(ctx, "rev-list", "--first-parent", "--max-parents=0", rev, "--")
		if id := strings.TrimSpace(string(out)); err == nil && isObjectID(id) {
			return "root:" + id
		}
	}
	return ""
}

func isObjectID(id string) bool {
	return len(id) >= 40 && strings.Trim(id, "0123456789abcdef") == ""
}

// identity is the identity of a repository without a first commit.
func (s *survey) identity() string {
	if name := git.RemoteName(s.path); name != "" {
		return "remote:" + name
	}
	var names []string
	for _, m := range s.modules {
		if m.name != "" {
			names = append(names, m.manifest+"\x00"+m.name)
		}
	}
	if len(names) == 0 {
		return "none"
	}
	slices.Sort(names)
	return fmt.Sprintf("names:%s", hex.EncodeToString(hash(names)))
}

func hash(words []string) []byte {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return sum[:6]
}
