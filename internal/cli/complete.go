package cli

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"sdd/internal/answer"
	"sdd/internal/app"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/transfer"
)

// Completions of a shell must be fast, so they use neither the index nor a server. Ids come from the names of files.

// offer returns the completions of an argument, given the arguments before it and the text typed so far.
type offer = cobra.CompletionFunc

// manyRecords is the number of explorations above which reading their titles takes too long.
const manyRecords = 200

// addCompletions adds the completions to the commands under root. run calls it only when a shell asks for completions.
func (a *session) addCompletions(root *cobra.Command) {
	_ = root.MarkPersistentFlagDirname("dir")
	arguments, flags := a.argumentOffers(), a.flagOffers()
	walk(root, func(cmd *cobra.Command) {
		name := strings.TrimPrefix(cmd.CommandPath(), root.Name()+" ")
		if o := arguments[name]; o != nil {
			cmd.ValidArgsFunction = o
		} else if cmd.ValidArgsFunction == nil && len(cmd.ValidArgs) == 0 && !takesFiles(cmd) {
			cmd.ValidArgsFunction = cobra.NoFileCompletions
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if o := flags[name+" --"+f.Name]; o != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, o)
			}
		})
	})
}

// addCompletionCommand adds cobra's command that prints the scripts for shells, and makes it refuse unknown arguments.
func addCompletionCommand(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	cmd, _, _ := root.Find([]string{"completion"}) // it was added just now
	var shells []string
	for _, c := range cmd.Commands() {
		shells = append(shells, c.Name())
		c.Args = noArgs
	}
	cmd.Args = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return fault.New(fault.Invalid, "there is no script for the shell %q", args[0]).With("allowed: " + strings.Join(shells, ", "))
	}
	cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
}

func walk(cmd *cobra.Command, visit func(*cobra.Command)) {
	for _, c := range cmd.Commands() {
		visit(c)
		walk(c, visit)
	}
}

// takesFiles reports whether the usage names files, so that the shell may offer them.
func takesFiles(cmd *cobra.Command) bool {
	return slices.ContainsFunc([]string{"FILE", "PATH", "SOURCE", "%O"}, func(s string) bool { return strings.Contains(cmd.Use, s) })
}

func (a *session) argumentOffers() map[string]offer {
	decision, fact, idea, every := a.records(record.Decision), a.records(record.Fact), a.records(record.Idea), a.records(record.Kinds...)
	return map[string]offer{
		"show": first(every), "log": first(every), "why": first(every), "edit": first(every), "undo": first(every),
		"handoff": first(a.records(record.Exploration, record.Decision)),
		"diff":    orFiles(every), "resolve": orFiles(every),
		"explore":     first(a.titles),
		"decide show": first(decision), "decide graph": first(decision),
		"fact show": first(fact), "fact refresh": fact, "fact expire": fact,
		"idea show": first(idea), "idea set": first(idea), "idea done": idea,
		"review": a.reviewed,
		"merge":  first(a.revisions), "extract": first(a.revisions),
	}
}

func (a *session) flagOffers() map[string]offer {
	statuses := func(k record.Kind, more ...string) offer {
		return values(slices.Concat(record.StatusesOf(k, ""), more)...)
	}
	scopes := func(k record.Kind) offer { return values(record.ScopesOf(k)...) }
	levels := make([]string, len(record.Levels))
	for i, name := range record.Levels {
		levels[i] = fmt.Sprintf("%d\t%s", i, name)
	}
	var every []string
	for _, k := range record.Kinds {
		every = append(every, record.StatusesOf(k, "")...)
	}
	slices.Sort(every)
	all := map[string]offer{}
	for _, same := range []struct {
		flags string
		offer offer
	}{
		{"context --mode", values(answer.Modes...)},
		{"decide add --status, decide list --status, decide graph --status", statuses(record.Decision)},
		{"decide add --scope, decide capture --scope, decide list --scope", scopes(record.Decision)},
		{"decide add --supersedes, decide add --depends-on, decide add --relates-to", a.records(record.Decision)},
		{"docs --match-mode", values("fuzzy", "exact", "regex")},
		{"explore --scope", scopes(record.Exploration)},
		{"explore --clear", values(explore.FieldNames...)},
		{"export --format, import --format", values(transfer.IdeasJSONL+"\tideas of every colour", transfer.ClaudeMemory+"\tlearnings as rules")},
		{"fact add --level, fact list --level, review --level", values(levels...)},
		{"fact add --scope", scopes(record.Fact)},
		{"fact add --supersedes", a.records(record.Fact)},
		{"fact add --on-expire", values("stale", "archive", "delete")},
		{"fact list --state", statuses(record.Fact, "any")},
		{"handoff --to", values(transfer.HandoffTargets()...)},
		{"idea add --color, idea list --color", values(append(slices.Clone(record.Colors), "white")...)},
		{"idea add --status", statuses(record.Idea)},
		{"idea list --status", statuses(record.Idea, "any")},
		{"idea add --scope, idea list --scope, learn --scope", scopes(record.Idea)},
		{"idea add --impact, idea list --impact, learn --impact", values(learning.Impacts...)},
		{"idea add --category, idea list --category, learn --category", values(learning.Categories...)},
		{"mcp --toolsets", values("default", "all", "compat", "explore", "context", "learn", "decide", "review", "code", "docs")},
		{"review --kind", values("learning", "fact", "candidate")},
		{"review-pr --base, show --at", a.revisions},
		{"search --type", values(record.Types...)},
		{"search --scope", values(slices.Concat(record.ScopesOf(record.Exploration), record.ScopesOf(record.Idea))...)},
		{"search --status", values(slices.Compact(every)...)},
	} {
		for flag := range strings.SplitSeq(same.flags, ", ") {
			all[flag] = same.offer
		}
	}
	return all
}

func values(all ...string) offer {
	return cobra.FixedCompletions(all, cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveKeepOrder)
}

func first(o offer) offer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return o(cmd, args, typed)
	}
}

func orFiles(o offer) offer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		names, directive := o(cmd, args, typed)
		return names, directive &^ cobra.ShellCompDirectiveNoFileComp
	}
}

type namedRecord struct {
	id, about, path string
}

// namedRecords lists the records of the kinds, sorted by id; none when the store cannot be read.
func (a *session) namedRecords(ctx context.Context, kinds []record.Kind) (all []namedRecord) {
	st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
	if err != nil {
		return nil
	}
	defer st.Close()
	_ = st.Scan(ctx, func(p string, _ store.Stat) error {
		if kind, ok := record.KindOf(p); ok && slices.Contains(kinds, kind) {
			all = append(all, nameOf(p, kind))
		}
		return nil
	})
	slices.SortFunc(all, func(x, y namedRecord) int { return strings.Compare(x.id, y.id) })
	return slices.CompactFunc(all, func(x, y namedRecord) bool { return x.id == y.id })
}

// nameOf describes the record at p from the name of its file. A file with a name of another form gets its path as id.
func nameOf(p string, kind record.Kind) namedRecord {
	name := strings.TrimSuffix(path.Base(p), ".md")
	slug := name
	if kind == record.Exploration {
		slug, _, _ = strings.Cut(name, "@")
	}
	switch r := record.Parse(p, nil, record.Defaults{}); {
	case record.IsHexID(r.ID):
		return namedRecord{r.ID, strings.ReplaceAll(strings.TrimPrefix(strings.TrimPrefix(name, r.ID), "-"), "-", " "), p}
	case kind == record.Exploration && record.Slug(slug) == slug:
		return namedRecord{"explore/" + slug, "", p}
	case kind == record.Decision && record.Slug(slug) == slug:
		return namedRecord{"decision/" + slug, "", p}
	}
	return namedRecord{store.Folder + "/" + p, "", p}
}

func (a *session) records(kinds ...record.Kind) offer {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		var out []string
		for _, f := range a.namedRecords(cmd.Context(), kinds) {
			if strings.HasPrefix(f.id, typed) && !slices.Contains(args, f.id) {
				out = append(out, strings.TrimSuffix(f.id+"\t"+f.about, "\t"))
			}
		}
		return out, cobra.ShellCompDirectiveNoFileComp
	}
}

// titles offers the titles of explorations, unless there are too many to read quickly.
func (a *session) titles(cmd *cobra.Command, _ []string, typed string) (all []string, _ cobra.ShellCompDirective) {
	explorations := a.namedRecords(cmd.Context(), []record.Kind{record.Exploration})
	st, err := store.Open(store.Options{Dir: a.dir, Tool: "sdd"})
	if err != nil || len(explorations) > manyRecords {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	defer st.Close()
	for _, r := range explorations {
		f, err := st.Read(r.path)
		if title := record.Parse(r.path, f.Bytes, record.Defaults{}).Title; err == nil && strings.HasPrefix(title, typed) {
			all = append(all, record.OneLine(title))
		}
	}
	return all, cobra.ShellCompDirectiveNoFileComp
}

// reviewed offers actions, then the records for the action.
func (a *session) reviewed(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return slices.Sorted(slices.Values(append(app.ReviewActions(), "list"))), cobra.ShellCompDirectiveNoFileComp
	}
	kinds := []record.Kind{record.Idea, record.Fact, record.Candidate}
	switch args[0] {
	case "list", "events":
		return nil, cobra.ShellCompDirectiveNoFileComp
	case "approve", "reject":
		kinds = []record.Kind{record.Candidate}
	case "refresh", "expire":
		kinds = []record.Kind{record.Fact}
	case "validate", "outdate", "promote", "apply", "done", "graduate":
		kinds = []record.Kind{record.Idea}
	}
	return a.records(kinds...)(cmd, args, typed)
}

func (a *session) revisions(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	refs := []string{"for-each-ref", "--format=%(refname:short)", "refs/heads", "refs/tags", "refs/remotes"}
	out, err := git.Run(cmd.Context(), cmp.Or(a.dir, "."), refs...)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return strings.Fields(string(out)), cobra.ShellCompDirectiveNoFileComp
}
