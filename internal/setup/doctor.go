// Package setup checks how the program is installed, and adds it to git, hooks and MCP clients or removes it.
package setup

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/codesearch"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// Checkup is the result of doctor: what is in order, and what to mend.
type Checkup struct {
	Root     string      `json:"root"`
	Checked  []string    `json:"checked"`
	Findings []Finding   `json:"findings"`
	Clients  []Client    `json:"clients"`
	Hooks    []AgentHook `json:"hooks"`
}

// Finding is one thing to mend.
type Finding struct {
	Code string `json:"code"`
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
	Fix  string `json:"fix"`
}

// Doctor checks everything that the program needs and changes no record. It removes what a killed process left in .sdd/.local. It starts
// the server as each MCP client with an entry would, calls the given servers but no address of an entry, and runs each hook of an agent
// with a sample of what the agent writes to it. version is this program's, from VersionText.
func Doctor(ctx context.Context, st *store.Store, ix *index.Index, version string, servers ...Served) (c Checkup, err error) {
	defer fault.Caught(&err)
	c = Checkup{Root: st.Dir(), Findings: []Finding{}, Clients: []Client{}, Hooks: []AgentHook{}}
	works := c.git(ctx, st.Dir())
	c.tokens()
	if here, err := Here(); err == nil {
		c.clients(ctx, here, st.Dir(), version)
		c.editors(here, version)
		c.agentHooks(ctx, here, st.Dir())
	}
	for _, to := range servers {
		c.server(ctx, to, version)
	}
	if !st.Exists() {
		if git.WithoutWorkTree(st.Dir()) == nil {
			c.ok("store: none yet, the first save makes it")
		}
		return c, nil
	}
	c.config(st)
	c.writable(ctx, st)
	for _, name := range []string{".gitignore", ".gitattributes", "config.yaml"} {
		if !exists(filepath.Join(st.Dir(), store.Folder, name)) {
			c.find("missing_file", store.Folder+"/"+name, 0, "the file is missing",
				"git checkout it, or delete "+store.Folder+"/.gitignore and run sdd init, which makes it anew")
		}
	}
	if works {
		c.ignored(ctx, st)
		c.drivers(ctx, st, version)
		c.hooks(ctx, st)
	}
	c.watcher(ctx, st)
	c.records(ctx, st, ix)
	c.index(ctx, st, ix)
	return c, nil
}

func (c *Checkup) ok(format string, args ...any) {
	c.Checked = append(c.Checked, fmt.Sprintf(format, args...))
}

func (c *Checkup) find(code, file string, line int, text, fix string) {
	c.Findings = append(c.Findings, Finding{code, file, line, text, fix})
}

func (c *Checkup) fault(code string, err error) {
	f := fault.Of(err)
	c.find(code, f.File, f.Line, f.Message, f.Hint)
}

func (c *Checkup) git(ctx context.Context, dir string) bool {
	top, _, _, inTree := git.Top(dir)
	if !git.Available() {
		c.find("no_git", "", 0, "the git command is not in PATH", "install git: without it nothing is shared or merged")
		return false
	}
	if !inTree {
		if err := git.WithoutWorkTree(dir); err != nil {
			c.fault("no_work_tree", err)
		} else {
			c.ok("git: this folder is in no work tree")
		}
		return false
	}
	if _, err := git.Run(ctx, top, "rev-parse", "--git-dir"); err != nil {
		f := fault.Of(err)
		c.find("git_refuses", "", 0, f.Message, cmp.Or(f.Hint, "git status says more"))
		return false
	}
	c.ok("git: work tree %s", top)
	return true
}

func (c *Checkup) ignored(ctx context.Context, st *store.Store) {
	if i, err := st.Ignored(ctx); err != nil {
		c.find("git_ignore", "", 0, "git cannot tell what it ignores: "+err.Error(), "git check-ignore -v "+store.Folder)
	} else if i != nil {
		c.find("ignored", "", 0, i.Text(), i.Fix())
	}
}

func (c *Checkup) config(st *store.Store) {
	cfg, err := st.Config()
	if err != nil {
		c.fault("config", err)
		return
	}
	for _, u := range cfg.Unknown {
		text := fmt.Sprintf("the key %q is unknown", u.Key)
		c.find("config_key", store.Folder+"/config.yaml", u.Line, text, "correct its spelling or remove it")
	}
	if err := learning.CheckConfig(cfg.Sections["learning"]); err != nil {
		c.fault("config", err)
	}
	for _, w := range codesearch.CheckConfig(cfg.Sections["search_strategy"]) {
		c.find("config", store.Folder+"/config.yaml", 0, "search_strategy: "+w.Message, "correct the setting or remove it")
	}
	c.ok("config: project %s", st.Project())
}

func (c *Checkup) writable(ctx context.Context, st *store.Store) {
	err := st.Recover(ctx)
	if err == nil {
		err = st.Writable()
	}
	if err != nil {
		c.fault("not_writable", err)
		return
	}
	c.ok("store: can be written")
}

func (c *Checkup) watcher(ctx context.Context, st *store.Store) {
	w := st.Watch(ctx)
	defer w.Close()
	if _, _, err := w.Sync(ctx); err != nil {
		c.ok("watcher: does not answer; files are compared at every call")
		return
	}
	c.ok("watcher: sees changes")
}

func (c *Checkup) records(ctx context.Context, st *store.Store, ix *index.Index) {
	s := fault.Must(lookup.StatusOf(ctx, st, ix))
	for _, p := range s.Problems {
		fix := cmp.Or(p.Fix, "open the file in an editor")
		if p.Code == record.TooLarge {
			fix = "split it; limits.file in " + store.Folder + "/config.yaml sets the limit"
		}
		c.find(p.Code, p.File, p.Line, p.Text, fix)
	}
	for _, p := range s.Pending {
		c.find("pending", "", 0, p, "sdd resolve")
	}
	c.ok("files of records: %d read", ix.Len())
}

func (c *Checkup) index(ctx context.Context, st *store.Store, ix *index.Index) {
	stale, read := staleEntries(ctx, st, ix)
	if len(stale) > 0 { // another process may have saved meanwhile
		fault.Check(ix.Refresh(ctx))
		stale, read = staleEntries(ctx, st, ix)
	}
	if len(stale) == 0 {
		c.ok("index: knows %d files as they are", read)
		return
	}
	c.find("index", store.Folder+"/"+stale[0], 0, fmt.Sprintf("the index knows another text of %d records than their files hold", len(stale)),
		"delete the folder "+store.Folder+"/.local/index: it is made anew; and please report it")
}

// staleEntries returns the paths whose text in the index differs from the file, and how many files it read.
func staleEntries(ctx context.Context, st *store.Store, ix *index.Index) (stale []string, read int) {
	known := map[string]string{}
	for _, e := range ix.Entries() {
		known[e.Path] = e.Etag
	}
	fault.Check(st.Scan(ctx, func(path string, _ store.Stat) error {
		etag := known[path]
		delete(known, path)
		if f, err := st.Read(path); err == nil {
			read++
			if record.Etag(f.Bytes) != etag {
				stale = append(stale, path)
			}
		}
		return nil
	}))
	stale = slices.AppendSeq(stale, maps.Keys(known))
	slices.Sort(stale)
	return stale, read
}

// Budgets need an exact count: this text has that many tokens of o200k_base.
const (
	countedText   = "Keep what a project finds out — 日本語, naïve, x += 1;"
	countedTokens = 18
)

// MinToken is the length of the shortest token that an HTTP server takes, in characters.
const MinToken = 16

// UsableToken reports whether an HTTP server takes a token.
func UsableToken(token string) bool {
	return len(token) >= MinToken && !strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })
}

// tokens checks the count of tokens, and the environment's token of HTTP servers.
func (c *Checkup) tokens() {
	if n := tokens.Count(countedText); n != countedTokens {
		c.find("tokens", "", 0, fmt.Sprintf("this program counts %d tokens where there are %d: it is damaged, and budgets do not hold",
			n, countedTokens), "install it again")
	} else {
		c.ok("tokens: counted as o200k_base")
	}
	if token := os.Getenv(TokenVariable); token != "" && !UsableToken(token) {
		c.find("token", "", 0, fmt.Sprintf("the token in %s is shorter than %d characters, or holds others than visible ASCII: "+
			"sdd mcp --http refuses it", TokenVariable, MinToken), "make one with: openssl rand -hex 32")
	}
}

func (c Checkup) Text() string {
	out := c.Root + "\n"
	for _, line := range c.Checked {
		out += "ok    " + line + "\n"
	}
	for _, f := range c.Findings {
		out += "mend  " + (&fault.Error{File: f.File, Line: f.Line, Message: f.Text}).Error() + "\n      " + f.Fix + "\n"
	}
	return out
}
