package bench

import (
	"errors"
	"fmt"
	"os/exec"
	"time"

	"sdd/internal/eval/must"
)

// timing runs f and returns its duration.
func timing(f func() error) time.Duration {
	start := time.Now()
	must.Check(f())
	return time.Since(start)
}

// ping is the cheapest request: it costs only the protocol.
func (s *server) ping(int) error {
	_, err := s.call("ping", nil)
	return err
}

// version runs `sdd version`, the cheapest process.
func (b *bench) version(int) error { return exec.Command(b.sdd, "version").Run() }

// git runs git in a folder.
func git(dir string, args ...string) {
	if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
		must.Check(fmt.Errorf("git %s: %w: %s", args[0], err, out))
	}
}

// commitAll makes a folder a repository with one commit of all its files.
func commitAll(dir string) {
	git(dir, "init", "-q")
	git(dir, "add", "-A")
	git(dir, "-c", "user.name=n", "-c", "user.email=n@example.com", "commit", "--allow-empty", "-qm", "all")
}

// inTurn runs two functions n times each, alternating and in changing order, so that other work on the machine
// affects both equally, and returns the duration of each run.
func inTurn(n int, first, second func(i int) error) (a, b []time.Duration) {
	for i := range n {
		pair := []func(int) error{first, second}
		took := make([]time.Duration, 2)
		for k := range 2 {
			which := (i + k) % 2
			took[which] = timing(func() error { return pair[which](i) })
		}
		a, b = append(a, took[0]), append(b, took[1])
	}
	return a, b
}

// found is the part of a search result that the figures need.
type found struct {
	Total   int
	Results []struct{ Title string }
}

// look searches, and fails for a wrong number of matches: the time of a wrong answer is no figure.
func (s *server) look(query string, want int) error {
	var f found
	if err := s.must("sdd_search", map[string]any{"query": query, "limit": 10}, &f); err != nil {
		return err
	}
	if f.Total != want {
		return fmt.Errorf("searching %q found %d records, not %d", query, f.Total, want)
	}
	return nil
}

// firstOf returns the first error that is not nil.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// errLinuxOnly is the reason why another system cannot measure a figure.
var errLinuxOnly = errors.New("measured on Linux only")

// skipOr ignores the error of a figure that this system cannot measure.
func skipOr(err error) error {
	if errors.Is(err, errLinuxOnly) {
		return nil
	}
	return err
}
