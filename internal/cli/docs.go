package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/docs"
	"sdd/internal/fault"
	"sdd/internal/store"
)

// docsOptions are the flags of sdd docs; they are named like the tool's arguments.
type docsOptions struct {
	docs.Options
	priority, threshold int
	noText              bool
	list                bool
}

func newDocs(a *session) *cobra.Command {
	var o docsOptions
	cmd := command("docs SOURCE QUERY", "Look something up in documentation: its signature and its description", cobra.ArbitraryArgs, nil)
	f := cmd.Flags()
	cmd.RunE = a.with(func(ctx context.Context, w *app.App, args []string) error {
		if f.Changed("priority") {
			o.Priority = &o.priority
		}
		if f.Changed("fuzzy-threshold") {
			o.FuzzyThreshold = &o.threshold
		}
		if o.noText {
			o.IncludeDocumentation = new(false)
		}
		r, err := a.docsReader(w.Store)
		if err != nil {
			return err
		}
		if o.list {
			return a.listDocs(r, args)
		}
		return a.docs(ctx, r, args, o.Options)
	})
	f.StringVar(&o.Domain, "domain", "", "only this domain, such as py, c or std")
	f.StringVar(&o.Role, "role", "", "only this role, such as function, meth or label")
	f.IntVar(&o.priority, "priority", 0, "only this priority of the inventory, such as 1, 0 or -1")
	f.StringVar(&o.MatchMode, "match-mode", "", "fuzzy (default), exact or regex")
	f.IntVar(&o.threshold, "fuzzy-threshold", 0, "least score in fuzzy mode, 0 to 100 (default 50)")
	f.IntVar(&o.MaxObjects, "max-objects", 0, "objects at most, 1 to 50 (default 5)")
	f.StringSliceVar(&o.IncludeSections, "include-sections", nil, "signature, description (default: both)")
	f.BoolVar(&o.noText, "no-text", false, "list the objects without reading their pages")
	f.IntVar(&o.MaxChars, "max-chars", 0, "characters of a description, 100 to 100000 (default: budgets.docs of config.yaml, else 4000)")
	f.IntVar(&o.MaxTokens, "max-tokens", 0,
		"budget of the answer in o200k tokens, 50 to 100000 (default: budgets.docs of config.yaml, else 4000)")
	f.IntVar(&o.Offset, "offset", 0, "characters of each description to pass over")
	f.BoolVar(&o.list, "list", false, "list the documentation that is installed, by the names it may be called")
	noZero(cmd, "max-objects", "max-chars", "max-tokens")
	return cmd
}

// listDocs lists the documentation that is installed.
func (a *session) listDocs(r *docs.Reader, args []string) error {
	if len(args) > 0 {
		return usage("--list takes no source and no query")
	}
	found := append([]docs.Installed{}, r.List()...)
	return a.print(found, func() string {
		var b strings.Builder
		for _, i := range found {
			fmt.Fprintf(&b, "%-24s %s\n    %s\n", i.Name, about(i), i.Location)
		}
		return b.String()
	})
}

func (a *session) docs(ctx context.Context, r *docs.Reader, args []string, o docs.Options) error {
	if len(args) < 2 {
		return fault.New(fault.Invalid, "a source and a query are required, %d words are given", len(args)).
			With("sdd docs SOURCE QUERY")
	}
	res, err := r.Explore(ctx, args[0], strings.Join(args[1:], " "), o)
	if err == nil && res.Search.TotalMatches == 0 {
		fmt.Fprintln(a.err, "nothing found")
	}
	return a.answer(&res, err)
}

// docsReader is a reader for a person, who may name any folder and any public host.
func (a *session) docsReader(st *store.Store) (*docs.Reader, error) {
	cfg, err := st.Config()
	if err != nil {
		return nil, err
	}
	s, err := docs.SettingsOf(cfg, st.Dir())
	if err != nil {
		return nil, err
	}
	s.AnyPath, s.AnyHost, s.Cache = true, true, docs.CacheDir()
	if isTerminal(a.err) {
		s.Reading = func(done, all int) {
			fmt.Fprintf(a.err, "\rreading the pages: %d of %d", done, all)
			if done == all {
				fmt.Fprint(a.err, "\r\x1b[K")
			}
		}
	}
	if s.WorkDir, err = os.Getwd(); err != nil {
		return nil, err
	}
	return docs.New(s), nil
}

// about describes a documentation for --list, besides its name and place.
func about(i docs.Installed) string {
	text := strings.Join(strings.Fields(i.Kind+" "+i.Project+" "+i.Version), " ")
	if i.Objects > 0 {
		text += fmt.Sprintf(" (%d objects)", i.Objects)
	}
	return text
}
