package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/allow"
	"sdd/internal/app"
	"sdd/internal/codesearch"
	"sdd/internal/fault"
	"sdd/internal/memory"
)

func newCode(a *session) *cobra.Command {
	var q codesearch.Query
	var wait bool
	cmd := command("code QUERY | code --reindex FILE...", "Find the code that answers a question and print just those lines", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(q.Reindex) == 0 {
				q.Query = strings.Join(args, " ")
			} else {
				q.Reindex = append(q.Reindex, args...)
			}
			return a.code(ctx, w, q, wait)
		}))
	f := cmd.Flags()
	f.StringVar(&q.Pattern, "pattern", "", "regular expression (RE2) that has to match a line")
	f.StringArrayVar(&q.Paths, "path", nil, "only this file, folder or glob; a leading ! leaves out; may be repeated")
	f.StringVar(&q.Phase, "phase", "", "phase of the work: a semantic server that failed is not asked again in it")
	f.StringArrayVar(&q.Reindex, "reindex", nil, "changed file, with more of them after it: renew the semantic index in the background")
	f.BoolVar(&wait, "wait", false, "with --reindex: wait until the index is renewed, and do nothing else")
	f.IntVar(&q.Limit, "limit", 0, "ranges that grep gives, 1 to 50 (default 40)")
	f.StringVar(&q.Timeout, "timeout", "",
		"time after which the search ends with what it has (default: search_strategy.timeout of config.yaml, else 5s)")
	f.IntVar(&q.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.code of config.yaml, else 3000)")
	noZero(cmd, "limit", "max-tokens")
	return cmd
}

// codeGC is the growth of the heap between two collections, in percent: one search uses so little memory that collecting it costs more
// than it frees.
const codeGC = 400

// code searches code. With wait it only renews the index for the files of q.Reindex.
func (a *session) code(ctx context.Context, w *app.App, q codesearch.Query, wait bool) error {
	defer memory.Grow(codeGC)()
	st := w.Store
	s := codesearch.New(st.Dir(), codesearch.Options{
		Config: st.Config, OneCall: true, Records: w.RecordsOn,
		Detach: func(files []string) (<-chan error, error) { return detachReindex(st.Dir(), files) },
	})
	defer s.Close()
	q.Reindex = a.fromTop(q.Reindex)
	if wait && len(q.Reindex) > 0 {
		err := s.Reindex(ctx, q.Reindex)
		return a.answerWith(map[string][]string{"reindexed": q.Reindex}, err, func() string {
			return fmt.Sprintf("renewed the index for %d files\n", len(q.Reindex))
		})
	}
	r, err := s.Search(ctx, q)
	return a.answerWith(r, err, func() string {
		for _, risk := range r.Risks {
			fmt.Fprintln(a.err, "note: "+a.safe(risk))
		}
		r.Risks = nil
		return r.Text()
	})
}

// background returns a command that runs this program again in a process that outlives this one.
func background(args ...string) (*exec.Cmd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, args...)
	allow.Detach(cmd)
	return cmd, nil
}

// detachReindex renews the index in a background process. The channel gets the result if this process still runs then.
func detachReindex(dir string, files []string) (<-chan error, error) {
	args := []string{"code", "--wait", "--json", "--dir", dir}
	for _, f := range files {
		args = append(args, "--reindex", f)
	}
	cmd, err := background(args...)
	if err != nil {
		return nil, err
	}
	output, err := os.CreateTemp("", "sdd-reindex-*")
	if err != nil {
		return nil, err
	}
	cmd.Stdout = output
	if err := cmd.Start(); err != nil {
		output.Close()
		os.Remove(output.Name())
		return nil, err
	}
	done := make(chan error, 1)
	os.Remove(output.Name()) // both processes have it open
	go func() {
		err := cmd.Wait()
		var failure struct{ Message, Hint string }
		if err != nil {
			data := make([]byte, 4096)
			n, _ := output.ReadAt(data, 0)
			if json.Unmarshal(data[:n], &failure) == nil && failure.Message != "" {
				err = fault.New(fault.Unavailable, "%s", failure.Message).With(failure.Hint)
			}
		}
		output.Close()
		done <- err
	}()
	return done, nil
}

// fromTop converts files that exist in the project to paths relative to its top; others stay.
func (a *session) fromTop(files []string) []string {
	var out []string
	for _, f := range files {
		if abs, err := filepath.Abs(f); err == nil {
			rel, err := filepath.Rel(a.store.Dir(), abs)
			if _, missing := os.Lstat(abs); err == nil && missing == nil && filepath.IsLocal(rel) {
				f = filepath.ToSlash(rel)
			}
		}
		out = append(out, f)
	}
	return out
}
