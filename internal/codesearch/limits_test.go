package codesearch

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"sdd/internal/fault"
)

// TestWorkOfArguments puts texts into the arguments for which the work once grew with the square of their length.
func TestWorkOfArguments(t *testing.T) {
	dir := plant(t)
	s := New(dir, Options{})
	defer s.Close()
	for _, paths := range [][]string{{strings.Repeat("[", 200_000)}, {"*" + strings.Repeat("[", 2000)}, strings.Split(strings.Repeat("0123456789,", 10_000), ",")} {
		if _, err := s.Search(t.Context(), Query{Query: "retry", Paths: paths}); !fault.Is(err, fault.Invalid) || fault.Of(err).Arg != "paths" {
			t.Errorf("%d paths: %v", len(paths), err)
		}
	}
	lines := strings.Repeat("x\n", 1_000_000)
	if err := os.WriteFile(filepath.Join(dir, "same.txt"), []byte(lines), 0o644); err != nil {
		t.Fatal(err)
	}
	given := []Given{{Path: "same.txt", StartLine: 1, EndLine: 1, Text: strings.Repeat("x\n", 500_000) + "y"}, {Path: "retry.go"}}
	r, err := s.Search(t.Context(), Query{Snippets: given, Timeout: "100ms"})
	if err != nil || len(r.Risks) != 1 || !strings.HasPrefix(r.Risks[0], "2 places were not compared with the files within 100ms") {
		t.Errorf("%q, %v", r.Risks, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := s.Search(ctx, Query{Snippets: given, Timeout: "5m"})
		done <- err
	}()
	buf := make([]byte, 1<<20)
	for !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "grep.matches") && !strings.Contains(string(buf[:runtime.Stack(buf, true)]), "grep.(*File).Find") {
		runtime.Gosched()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
