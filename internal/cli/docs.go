package cli

import (
	"context"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/docs"
	"sdd/internal/fault"
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
	cmd := &cobra.Command{
		Use:   "docs SOURCE QUERY",
		Short: "Look something up in documentation: its signature and its description",
		Args:  cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			f := cmd.Flags()
			if f.Changed("priority") {
				o.Priority = &o.priority
			}
			if f.Changed("fuzzy-threshold") {
				o.FuzzyThreshold = &o.threshold
			}
			if o.noText {
				with := false
				o.IncludeDocumentation = &with
			}
			return a.runDocs(cmd.Context(), args, o)
		},
	}
	f := cmd.Flags()
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

func (a *session) runDocs(ctx context.Context, args []string, o docsOptions) error {
	r, err := a.docsReader()
	if err != nil {
		return err
	}
	if o.list {
		if len(args) > 0 {
			return usage("--list takes no source and no query")
		}
		found := r.List()
		if found == nil {
			found = []docs.Installed{}
		}
		return a.print(found, func() string {
			var b strings.Builder
			for _, i := range found {
				fmt.Fprintf(&b, "%-24s %s\n    %s\n", i.Name, about(i), i.Location)
			}
			return b.String()
		})
	}
	if len(args) != 2 {
		return fault.New(fault.Invalid, "a source and a query are required, %d words are given", len(args)).
			With("sdd docs SOURCE QUERY; put words with blanks in quotes")
	}
	res, err := r.Explore(ctx, args[0], args[1], o.Options)
	if err != nil {
		return err
	}
	if res.Search.TotalMatches == 0 {
		fmt.Fprintln(a.err, "nothing found")
	}
	return a.print(&res, res.Text)
}

// docsReader is a reader for a person, who may name any folder and any public host.
func (a *session) docsReader() (*docs.Reader, error) {
	st, _, err := a.open()
	if err != nil {
		return nil, err
	}
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
	parts := []string{i.Kind}
	for _, p := range []string{i.Project, i.Version} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if i.Objects > 0 {
		parts = append(parts, fmt.Sprintf("(%d objects)", i.Objects))
	}
	if i.Wanted != "" {
		parts = append(parts, "the project asks for "+i.Wanted)
	}
	return strings.Join(parts, " ")
}
