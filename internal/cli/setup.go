package cli

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"sdd/internal/app"
	"sdd/internal/codesearch"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/setup"
	"sdd/internal/store"
)

func newInit(a *session) *cobra.Command {
	var remove, code, unignore bool
	cmd := command("init", "Make the .sdd store and let git merge and show records with sdd", noArgs,
		a.with(func(ctx context.Context, w *app.App, _ []string) error {
			if remove {
				return a.removeDrivers(ctx, w.Store)
			}
			return a.init(ctx, w.Store, code, unignore)
		}))
	cmd.Flags().BoolVar(&code, "code", false, "put the semantic code search that was found into config.yaml")
	cmd.Flags().BoolVar(&unignore, "unignore", false, "where git ignores .sdd, add to .gitignore the line that makes git take the records")
	cmd.Flags().BoolVar(&remove, "remove-drivers", false,
		"take what init set out of this clone's git configuration and attributes, and do nothing else")
	return cmd
}

type initResult struct {
	Root    string        `json:"root"`
	Project string        `json:"project"`
	Created []string      `json:"created"`
	Git     setup.Drivers `json:"git"` // what was changed in this clone
	Code    codeFound     `json:"code"`
	Added   []string      `json:"added"` // lines to .gitignore
}

type codeFound struct {
	codesearch.Detection
	Written bool `json:"written"` // into config.yaml, just now
}

func (a *session) init(ctx context.Context, st *store.Store, code, unignore bool) error {
	made := fault.Must(st.Ensure())
	out := initResult{Root: st.Dir(), Project: st.Project(), Created: append([]string{}, made...),
		Git: setup.Drivers{Settings: []git.Setting{}}, Added: []string{}}
	repo, err := git.Open(st.Dir())
	if err == nil { // else there is no work tree, and nothing to set
		if out.Git, err = setup.SetDrivers(ctx, repo); err != nil { // the store can still be used
			a.note("git will merge records as text", err)
		}
	}
	a.unignore(ctx, &out, unignore)
	out.Code = a.detectCode(ctx, code)
	return a.print(out, func() string { return out.text(repo) + out.Code.text() })
}

// unignore makes git take the records when asked, else notes on standard error when git ignores them.
func (a *session) unignore(ctx context.Context, out *initResult, asked bool) {
	if asked {
		out.Added = append(out.Added, fault.Must(setup.Unignore(ctx, a.store))...)
		return
	}
	switch i, err := a.store.Ignored(ctx); {
	case i != nil:
		a.note(store.Folder+" is not shared", fault.New(fault.Conflict, "%s", i.Text()).With(i.Fix()))
	case err != nil && !fault.Is(err, fault.Unavailable): // without git there is nothing to note
		a.note("git does not tell what it ignores", err)
	}
}

// detectCode finds the way of searching code, and with write puts it into config.yaml.
func (a *session) detectCode(ctx context.Context, write bool) codeFound {
	cfg, err := a.store.Config()
	if err != nil {
		fmt.Fprintln(a.err, "note: code is searched by grep: "+a.safe(fault.Of(err).Error()))
		return codeFound{Detection: codesearch.Detection{Mode: codesearch.ModeGrep}}
	}
	f := codeFound{Detection: codesearch.Detect(ctx, a.store.Dir(), cfg)}
	if write {
		f.Written = fault.Must(f.Adopt(a.store.Dir()))
	}
	return f
}

func (f codeFound) text() string {
	out := f.Text()
	switch section := f.Section(); {
	case f.Written:
		out += "it is in " + store.Folder + "/" + config.Name + " now\n"
	case section != "":
		out += "it is asked once " + store.Folder + "/" + config.Name + " holds this, which sdd init --code puts there:\n" + section
	}
	return out
}

func (i initResult) text(repo *git.Repo) string {
	out := "the store is there: " + i.Root + "/" + store.Folder + " (project " + i.Project + ")\n"
	if len(i.Created) > 0 {
		out = "made " + strings.Join(i.Created, ", ") + " in " + i.Root + " (project " + i.Project + ")\n"
	}
	if len(i.Added) > 0 {
		out += "git takes the records now; added to .gitignore: " + strings.Join(i.Added, " ") + "\n"
	}
	if i.Git.Changed() {
		out += "git merges and shows records with sdd in this clone; set:\n" + driversText(i.Git, repo)
	}
	return out
}

func (a *session) removeDrivers(ctx context.Context, st *store.Store) error {
	repo := fault.Must(git.Open(st.Dir()))
	done := fault.Must(setup.RemoveDrivers(ctx, repo, false))
	return a.print(done, func() string {
		if !done.Changed() {
			return "nothing of sdd is set in this clone\n"
		}
		return "git merges and shows records as text in this clone; taken out:\n" + driversText(done, repo)
	})
}

func driversText(d setup.Drivers, repo *git.Repo) string {
	var b strings.Builder
	for _, s := range d.Settings {
		fmt.Fprintf(&b, "  git config %s\n", s.Key)
	}
	if d.Attributes != "" {
		fmt.Fprintf(&b, "  a block in %s\n", attributesName(repo, d.Attributes))
	}
	return b.String()
}

// attributesName is the file of a clone's own attributes, relative to its top if inside.
func attributesName(repo *git.Repo, path string) string {
	if rel, err := filepath.Rel(repo.Top, path); err == nil && filepath.IsLocal(rel) {
		path = filepath.ToSlash(rel)
	}
	return path
}

func newSetup(a *session) *cobra.Command {
	var o setup.Request
	var user, project bool
	cmd := command("setup [CLIENT...]", "Add sdd to MCP clients and editors, or take it out again", nil,
		a.with(func(ctx context.Context, w *app.App, args []string) error {
			switch {
			case user && project:
				return usage("one of --user and --project is allowed")
			case user:
				o.Scope = setup.UserScope
			case project:
				o.Scope = setup.ProjectScope
			}
			o.Clients, o.Root = args, w.Store.Dir()
			o.Version, _ = Version()
			done := fault.Must(fault.Must(setup.Here()).Apply(o))
			return exitIf(done.Failed(), exitFailed, a.paint(done, func(p *painter) {
				changesText(p, done)
				switch {
				case len(done.Changes) == 0:
					p.line(plainText, "nothing of sdd is set up here")
				case done.DryRun:
					p.line(dim, "nothing was written: this is what sdd setup would do")
				}
			}))
		}))
	cmd.ValidArgs = append(setup.ClientNames(), "kiro")
	f := cmd.Flags()
	f.BoolVar(&user, "user", false, "your own file of each client (the default; with --remove: only that)")
	f.BoolVar(&project, "project", false, "the project's file of each client")
	f.BoolVar(&o.DryRun, "dry-run", false, "show what would change, and write nothing")
	f.BoolVar(&o.Remove, "remove", false, "take out what sdd setup put in: of the clients that are named, else of all")
	f.BoolVar(&o.Instructions, "instructions", false, "the block in AGENTS.md or CLAUDE.md; without a client nothing else")
	f.BoolVar(&o.Hooks, "hooks", false, "the hooks of agents, which call sdd hook: of the clients that are named, else of all; nothing else")
	f.BoolVar(&o.Commands, "commands", false, "the prompts as commands of each client; without a client, or with --remove, nothing else")
	f.StringSliceVar(&o.Editors, "editor", nil,
		"start sdd lsp from an editor: "+strings.Join(setup.EditorNames(), ", ")+"; without a client nothing else")
	return cmd
}

// changesText prints the differences in a dry run, then the action for each file.
func changesText(p *painter, done setup.Changes) {
	for _, c := range done.Changes {
		if !done.DryRun || c.Diff == "" {
			continue
		}
		for line := range strings.Lines(c.Diff) {
			color := map[byte]string{'@': cyan, '-': red, '+': green}[line[0]]
			if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "+++") {
				color = bold
			}
			p.line(color, strings.TrimSuffix(line, "\n"))
		}
		p.line(plainText, "")
	}
	for _, line := range done.Lines() {
		p.line(plainText, line)
	}
}

func newUninstall(a *session) *cobra.Command {
	var dryRun, purge bool
	cmd := command("uninstall", "Take everything of sdd out again, but for the records", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			st, _ := a.open()
			root, pending := st.Dir(), len(st.Pending()) > 0
			a.close() // the store must not be written from here on
			a.store = nil
			done := fault.Must(fault.Must(setup.Here()).Uninstall(cmd.Context(), root, dryRun, purge, pending))
			return exitIf(done.Failed(), exitFailed, a.paint(done, func(p *painter) { uninstalledText(p, done) }))
		})
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "show what would go, and change nothing")
	cmd.Flags().BoolVar(&purge, "purge", false, "delete the records of this project too, .sdd as a whole")
	return cmd
}

func uninstalledText(p *painter, u setup.Uninstalled) {
	changesText(p, u.Changes)
	verb := "removed"
	if u.DryRun {
		verb = "would be removed"
	}
	row := func(kind, what string) { p.line(plainText, fmt.Sprintf("%-16s %-17s %s", verb, kind, what)) }
	for _, h := range u.Hooks {
		row("hook", h.File)
	}
	for _, s := range u.Drivers.Settings {
		row("git config", s.Key)
	}
	if name := u.Drivers.Attributes; name != "" {
		if repo, err := git.Open(u.Root); err == nil {
			name = attributesName(repo, name)
		}
		row("attributes", name)
	}
	for _, path := range u.Removed {
		row("file", path)
	}
	for _, what := range u.Left {
		path, why, _ := strings.Cut(what, ": ")
		p.line(plainText, fmt.Sprintf("%-16s %-17s %s", "stays", "", path))
		p.line(plainText, strings.Repeat(" ", 35)+why)
	}
	if u.DryRun {
		p.line(dim, "nothing was changed: this is what sdd uninstall would do")
	}
}

func newDoctor(a *session) *cobra.Command {
	var at []string
	var tokenFile string
	cmd := command("doctor", "Find what is missing or broken, with a hint for each", noArgs,
		func(cmd *cobra.Command, _ []string) error {
			if tokenFile != "" && len(at) == 0 {
				return fault.New(fault.Invalid, "--token-file goes with --http").For("token-file").With("add --http " + setup.DefaultHTTPAddr)
			}
			servers, w := served(at, tokenFile), a.uses()
			c := fault.Must(setup.Doctor(cmd.Context(), w.Store, w.Index, setup.VersionText(Version()), servers...))
			c.Checked = append(c.Checked, fault.Must(w.Status(cmd.Context())).Lines()...)
			return exitIf(len(c.Findings) > 0, errFindings, a.print(c, c.Text))
		})
	cmd.Flags().StringArrayVar(&at, "http", nil, "address or URL of a running sdd mcp --http to ask; may be given more than once")
	cmd.Flags().StringVar(&tokenFile, "token-file", "", "file that holds the token to send with --http (default: "+setup.TokenVariable+")")
	return cmd
}

// served completes the addresses of servers.
func served(at []string, tokenFile string) (out []setup.Served) {
	if len(at) == 0 {
		return nil
	}
	token := fault.Must(readToken(tokenFile))
	for _, text := range at {
		if !strings.Contains(text, "://") {
			text = "http://" + fault.Must(setup.HTTPAddr(text)) + setup.HTTPPath
		}
		if u, err := url.Parse(text); err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
			fault.Check(fault.New(fault.Invalid, "%q is no address of a server", text).For("http").
				With("give one like " + setup.DefaultHTTPAddr + " or http://" + setup.DefaultHTTPAddr + setup.HTTPPath))
		}
		out = append(out, setup.Served{URL: text, Token: token})
	}
	return out
}
