// Package clone has clones of repositories for evaluations, which move their work trees through the history.
package clone

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// Clone is a repository with a work tree at Dir.
type Clone struct {
	Dir    string
	absent []string // patterns of files that a partial clone lacks
}

// Of clones the repository at dir into the folder work, without files as yet. It shares the objects.
func Of(ctx context.Context, dir, work string) (*Clone, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if out, err := exec.CommandContext(ctx, "git", "clone", "-q", "--shared", "--no-checkout", dir, work).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("git clone: %w: %s", err, out)
	}
	return &Clone{Dir: work}, nil
}

// Git runs git in the clone and returns its output without space around it.
func (c *Clone) Git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", c.Dir, "-c", "core.quotePath=false"}, args...)...)
	var problem strings.Builder
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, problem.String())
	}
	return strings.TrimSpace(string(out)), err
}

var unread = regexp.MustCompile(`unable to read sha1 file of (.+) \([0-9a-f]+\)`)

// Checkout runs git checkout --force with args. Files that a partial clone lacks stay out of the work tree.
func (c *Clone) Checkout(ctx context.Context, args ...string) error {
	_, err := c.Git(ctx, append([]string{"checkout", "-q", "--force"}, args...)...)
	if err == nil || !unread.MatchString(err.Error()) {
		return err
	}
	for _, m := range unread.FindAllStringSubmatch(err.Error(), -1) {
		c.absent = append(c.absent, "!/"+m[1])
	}
	_, err = c.Git(ctx, append([]string{"sparse-checkout", "set", "--no-cone", "/*"}, c.absent...)...)
	if err != nil && !unread.MatchString(err.Error()) {
		return err
	}
	return c.Checkout(ctx, args...)
}
