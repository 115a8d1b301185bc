// Package setup knows how the program stands in its surroundings: what is missing, and how to
// put it in and take it out again.
package setup

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/lookup"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Checkup is what doctor looked at and what it found to mend.
type Checkup struct {
	Root     string    `json:"root"`
	Checked  []string  `json:"checked"`
	Findings []Finding `json:"findings"`
	Clients  []Client  `json:"clients"`
}

// Finding is one thing to mend.
type Finding struct {
	Code string `json:"code"`
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
	Fix  string `json:"fix"`
}

// Doctor looks at everything the program needs and changes no record. It tidies up what a killed
// process left in .sdd/.local. It starts the server as each MCP client that has an entry for it would, or asks it at
// the address of the entry, and asks the servers that are named. version is this program's, as VersionText tells it.
func Doctor(ctx context.Context, st *store.Store, ix *index.Index, version string, servers ...Served) (Checkup, error) {
	c := Checkup{Root: st.Dir(), Findings: []Finding{}, Clients: []Client{}}
	works := c.git(ctx, st.Dir())
	c.tokens()
	if here, err := Here(); err == nil {
		c.clients(ctx, here, st.Dir(), version)
	}
	for _, to := range servers {
		c.server(ctx, to, version)
	}
	if !st.Exists() {
		c.Checked = append(c.Checked, "store: none yet, the first save makes it")
		return c, nil
	}
	c.config(st)
	c.writable(ctx, st)
	c.files(st.Dir())
	if works {
		c.ignored(ctx, st)
		c.drivers(ctx, st, version)
		c.hooks(ctx, st)
	}
	c.onLearning(learning.New(st, ix))
	c.watcher(ctx, st)
	if err := c.records(ctx, st, ix); err != nil {
		return c, err
	}
	return c, c.index(ctx, st, ix)
}

func (c *Checkup) find(code, file string, line int, text, fix string) {
	c.Findings = append(c.Findings, Finding{code, file, line, text, fix})
}

// git reports whether git works on the store's folder.
func (c *Checkup) git(ctx context.Context, dir string) bool {
	top, _, _, ok := git.Top(dir)
	switch {
	case !git.Available():
		c.find("no_git", "", 0, "the git command is not in PATH", "install git: without it nothing is shared or merged")
	case !ok:
		if err := git.WithoutWorkTree(dir); err != nil {
			f := fault.Of(err)
			c.find("no_work_tree", "", 0, f.Message, f.Hint)
			return false
		}
		c.Checked = append(c.Checked, "git: this folder is in no work tree")
	default:
		if _, err := git.Run(ctx, top, "rev-parse", "--git-dir"); err != nil {
			f := fault.Of(err)
			c.find("git_refuses", "", 0, f.Message, cmp.Or(f.Hint, "git status says more"))
			return false
		}
		c.Checked = append(c.Checked, "git: work tree "+top)
		return true
	}
	return false
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
		f := fault.Of(err)
		c.find("config", f.File, f.Line, f.Message, f.Hint)
		return
	}
	for _, u := range cfg.Unknown {
		c.find("config_key", store.Folder+"/config.yaml", u.Line, fmt.Sprintf("the key %q is unknown", u.Key), "correct its spelling or remove it")
	}
	for _, err := range []error{learning.CheckConfig(cfg.Sections["learning"]), learning.CheckHooks(cfg.Sections["hooks"])} {
		if err != nil {
			f := fault.Of(err)
			c.find("config", f.File, f.Line, f.Message, f.Hint)
		}
	}
	c.Checked = append(c.Checked, "config: project "+st.Project())
}

func (c *Checkup) writable(ctx context.Context, st *store.Store) {
	err := st.Recover(ctx)
	if err == nil {
		err = st.Writable()
	}
	if err != nil {
		f := fault.Of(err)
		c.find("not_writable", f.File, f.Line, f.Message, f.Hint)
		return
	}
	c.Checked = append(c.Checked, "store: can be written")
}

func (c *Checkup) files(dir string) {
	for _, name := range []string{".gitignore", ".gitattributes", "config.yaml"} {
		if _, err := os.Stat(filepath.Join(dir, store.Folder, name)); err != nil {
			c.find("missing_file", store.Folder+"/"+name, 0, "the file is missing",
				"git checkout it, or delete "+store.Folder+"/.gitignore and run sdd init, which makes it anew")
		}
	}
}

func (c *Checkup) onLearning(l *learning.Learnings) {
	h, ok, err := l.Hook()
	switch {
	case err != nil || !ok: // config tells what is wrong
	case !h.Trusted:
		c.Checked = append(c.Checked, "hook on-learning: not run, it is not trusted on this machine (sdd trust)")
	case h.Failed != nil:
		c.find("hook_failed", store.Folder+"/config.yaml", 0,
			fmt.Sprintf("the hook on-learning failed at %s (%s of %s): %s", h.Failed.Time.Format(time.RFC3339), h.Failed.Event, h.Failed.Idea, h.Failed.Error),
			"mend the command, or take hooks.on-learning out of config.yaml; the next run that ends well clears this")
	default:
		c.Checked = append(c.Checked, "hook on-learning: trusted")
	}
}

func (c *Checkup) watcher(ctx context.Context, st *store.Store) {
	w, err := st.Watch(ctx)
	if err != nil {
		c.Checked = append(c.Checked, "watcher: none ("+err.Error()+"); files are compared at every call")
		return
	}
	defer w.Close()
	if _, _, err := w.Sync(ctx); err != nil {
		c.Checked = append(c.Checked, "watcher: does not answer; files are compared at every call")
		return
	}
	c.Checked = append(c.Checked, "watcher: sees changes")
}

func (c *Checkup) records(ctx context.Context, st *store.Store, ix *index.Index) error {
	s, err := lookup.StatusOf(ctx, st, ix)
	if err != nil {
		return err
	}
	for _, p := range s.Problems {
		fix := "open the file in an editor"
		if p.Code == record.TooLarge {
			fix = "split it; limits.file in " + store.Folder + "/config.yaml sets the limit"
		}
		c.find(p.Code, p.File, p.Line, p.Text, fix)
	}
	c.severalFiles(ix.Entries())
	irregular, err := st.Irregular(ctx)
	if err != nil {
		return err
	}
	for _, path := range irregular {
		if _, err := st.Read(path); err != nil && !fault.Is(err, fault.NotFound) {
			f := fault.Of(err)
			c.find("unreadable", f.File, f.Line, f.Message, f.Hint)
		}
	}
	for _, p := range s.Pending {
		c.find("pending", "", 0, p, "sdd resolve")
	}
	c.Checked = append(c.Checked, fmt.Sprintf("files of records: %d read", ix.Len()))
	return nil
}

// severalFiles finds records that several files hold: no save of one knows where to go.
func (c *Checkup) severalFiles(entries []index.Entry) {
	files := map[record.Identity][]string{}
	var several []record.Identity
	for _, e := range entries {
		if e.ID == "" {
			continue
		}
		key := record.IdentityOf(e.ID, e.Kind, e.Path)
		if files[key] = append(files[key], e.File); len(files[key]) == 2 {
			several = append(several, key)
		}
	}
	for _, key := range several {
		held := files[key]
		c.find("duplicate", held[0], 0, fmt.Sprintf("%s is also in %s", key.ID, strings.Join(held[1:], ", ")), "merge them into one by hand and delete the other")
	}
}

// Text renders the checkup for a person.
func (c Checkup) Text() string {
	out := c.Root + "\n"
	for _, line := range c.Checked {
		out += "ok    " + line + "\n"
	}
	for _, f := range c.Findings {
		place := ""
		if f.File != "" {
			place = f.File + ": "
			if f.Line > 0 {
				place = fmt.Sprintf("%s:%d: ", f.File, f.Line)
			}
		}
		out += "mend  " + place + f.Text + "\n      " + f.Fix + "\n"
	}
	return out
}
