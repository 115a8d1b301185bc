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
	"sdd/internal/docs"
	"sdd/internal/fault"
	"sdd/internal/memory"
	"sdd/internal/store"
)

func newCode(a *session) *cobra.Command {
	var q codesearch.Query
	var wait bool
	cmd := command("code QUERY | code --reindex FILE...", "Find the code that answers a question and print just those lines", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			if len(q.Reindex) == 0 {
				q.Query = strings.Join(args, " ")
				for i, p := range q.Paths {
					name := strings.TrimPrefix(p, "!")
					q.Paths[i] = p[:len(p)-len(name)] + a.fromTop([]string{name})[0]
				}
			} else {
				q.Reindex = a.fromTop(append(q.Reindex, args...))
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
	return cmd
}

// codeGC is the growth of the heap between two collections, in percent: collecting costs more than it frees in one search.
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
	if wait && len(q.Reindex) > 0 {
		fault.Check(s.Reindex(ctx, q.Reindex))
		return a.print(map[string][]string{"reindexed": q.Reindex}, func() string {
			return fmt.Sprintf("renewed the index for %d files\n", len(q.Reindex))
		})
	}
	r := fault.Must(s.Search(ctx, q))
	return a.print(r, func() string {
		for _, risk := range r.Risks {
			fmt.Fprintln(a.err, "note: "+a.safe(risk))
		}
		r.Risks = nil
		return r.TextWithFlags()
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
	err = cmd.Start()
	os.Remove(output.Name()) // both processes have it open
	if err != nil {
		output.Close()
		return nil, err
	}
	done := make(chan error, 1)
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

func newDocs(a *session) *cobra.Command {
	var o docs.Options // the flags are named like the tool's arguments
	var priority, threshold int
	var noText, list bool
	cmd := command("docs SOURCE QUERY", "Look something up in documentation: its signature and its description", cobra.ArbitraryArgs, nil)
	f := cmd.Flags()
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		if f.Changed("priority") {
			o.Priority = &priority
		}
		if f.Changed("fuzzy-threshold") {
			o.FuzzyThreshold = &threshold
		}
		if noText {
			o.IncludeDocumentation = new(false)
		}
		r := a.docsReader(w.Store)
		if list {
			return a.listDocs(r, args)
		}
		if len(args) < 2 {
			return fault.New(fault.Invalid, "a source and a query are required, %s given", fault.Count(len(args), "word is", "words are")).
				With("sdd docs SOURCE QUERY")
		}
		res := fault.Must(r.Explore(ctx, args[0], strings.Join(args[1:], " "), o))
		if res.Search.TotalMatches == 0 {
			fmt.Fprintln(a.err, "nothing found")
		}
		return a.print(&res, res.Text)
	})
	f.StringVar(&o.Domain, "domain", "", "only this domain, such as py, c or std")
	f.StringVar(&o.Role, "role", "", "only this role, such as function, meth or label")
	f.IntVar(&priority, "priority", 0, "only this priority of the inventory, such as 1, 0 or -1")
	f.StringVar(&o.MatchMode, "match-mode", "", "fuzzy (default), exact or regex")
	f.IntVar(&threshold, "fuzzy-threshold", 0, "least score in fuzzy mode, 0 to 100 (default 50)")
	f.IntVar(&o.MaxObjects, "max-objects", 0, "objects at most, 1 to 50 (default 5)")
	f.StringSliceVar(&o.IncludeSections, "include-sections", nil, "signature, description (default: both)")
	f.BoolVar(&noText, "no-text", false, "list the objects without reading their pages")
	f.IntVar(&o.MaxChars, "max-chars", 0, "characters of a description, 100 to 100000 (default: budgets.docs of config.yaml, else 4000)")
	f.IntVar(&o.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.docs of config.yaml, else 4000)")
	f.IntVar(&o.Offset, "offset", 0, "characters of each description to pass over")
	f.BoolVar(&list, "list", false, "list the documentation that is installed, by the names it may be called")
	return cmd
}

func (a *session) listDocs(r *docs.Reader, args []string) error {
	if len(args) > 0 {
		return usage("--list takes no source and no query")
	}
	found := append([]docs.Installed{}, r.List()...)
	return a.print(found, func() string {
		var b strings.Builder
		for _, i := range found {
			about := strings.Join(strings.Fields(i.Kind+" "+i.Project+" "+i.Version), " ")
			if i.Objects > 0 {
				about += fmt.Sprintf(" (%d objects)", i.Objects)
			}
			fmt.Fprintf(&b, "%-24s %s\n    %s\n", i.Name, about, i.Location)
		}
		return b.String()
	})
}

// docsReader is a reader for a person, who may name any folder and any public host.
func (a *session) docsReader(st *store.Store) *docs.Reader {
	s := fault.Must(docs.SettingsOf(fault.Must(st.Config()), st.Dir()))
	s.AnyPath, s.AnyHost, s.Cache = true, true, docs.CacheDir()
	if isTerminal(a.err) {
		s.Reading = func(done, all int) {
			a.showProgress("reading the pages: %d of %d", done, all)
			if done == all {
				a.wipeProgress()
			}
		}
	}
	s.WorkDir = fault.Must(os.Getwd())
	return docs.New(s)
}
