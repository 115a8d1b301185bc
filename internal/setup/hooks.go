package setup

import (
	"cmp"
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"sdd/internal/git"
	"sdd/internal/store"
)

// HookState is whether a hook calls this program.
type HookState string

const (
	HookInstalled HookState = "installed"
	HookMissing   HookState = "missing"
	HookOutdated  HookState = "outdated" // another version wrote its block, or it calls a program that does not exist
	HookDisabled  HookState = "disabled" // git ignores the file, which is not executable
	HookForeign   HookState = "foreign"  // another program owns the file, so that this one does not write it
)

// Hook is one hook of a repository.
type Hook struct {
	Name    string    `json:"hook"`
	File    string    `json:"file"` // relative to the top of the work tree if below it, else absolute
	State   HookState `json:"state"`
	Manager string    `json:"manager"` // the file's owner, see hooks_owner.go; "" when this program may write it
	Changed bool      `json:"changed"` // by this call
	Text    string    `json:"text"`    // details, "" when the state is enough
	Fix     string    `json:"fix"`     // what to do, "" when there is nothing
	Lines   []string  `json:"lines"`   // what to add by hand
}

// Hooks are those of HookNames that were asked for.
type Hooks struct {
	Folder string `json:"folder"` // where git looks for hooks
	Hooks  []Hook `json:"hooks"`
}

// HooksStatus returns for each hook whether it calls this program. It writes nothing. dir is a folder in a work tree or in a bare
// repository.
func HooksStatus(ctx context.Context, dir string, names []string) (Hooks, error) {
	s, err := openHooks(ctx, dir)
	if err != nil {
		return Hooks{}, err
	}
	return s.all(names, s.look)
}

// InstallHooks makes the hooks call this program, and refuses a temporary one. It writes only files of the repository, but none that a
// hook manager writes or that is not a script of a shell: for those the result has the lines to add. A second call changes nothing.
func InstallHooks(ctx context.Context, dir string, names []string) (Hooks, error) {
	s, err := openHooks(ctx, dir)
	if err != nil {
		return Hooks{}, err
	}
	program, err := lastingProgram(s.Common)
	if err != nil {
		return Hooks{}, err
	}
	folders := s.foldersMade()
	return s.all(names, func(name string) (Hook, error) {
		h, err := s.look(name)
		if err != nil || h.State != HookMissing && h.State != HookOutdated {
			return h, err
		}
		f := s.script(name)
		lines := hookLines(name, program)
		if f.committed {
			lines = hookLines(name, driverName) // no path of this machine in what others get
		}
		src, made := f.src, ""
		if !f.exists {
			src, made = []byte(hookShell), madeWith(folders)
		}
		out, err := hookMarks.atTop(src, made, lines)
		if err != nil {
			return h, f.at(err)
		}
		if err := f.write(out); err != nil {
			return h, err
		}
		h, err = s.look(name)
		h.Changed = true
		return h, err
	})
}

// UninstallHooks undoes InstallHooks and keeps all other bytes; it removes a file and folders that InstallHooks made. Lines that the
// user added stay.
func UninstallHooks(ctx context.Context, dir string, names []string) (Hooks, error) {
	s, err := openHooks(ctx, dir)
	if err != nil {
		return Hooks{}, err
	}
	return s.all(names, func(name string) (Hook, error) {
		// Before core.hooksPath was set, the block went into the default folder.
		changed := ""
		for _, folder := range []string{s.Default(), s.Path} {
			f := s.scriptIn(folder, name)
			done, err := f.withdraw()
			if err != nil {
				return Hook{}, err
			}
			if done {
				changed = f.path
			}
		}
		h, err := s.look(name)
		switch {
		case changed != "":
			h.Changed, h.File, h.Text, h.Fix = true, s.shown(changed), "taken out", ""
		case h.State == HookInstalled:
			h.Fix = "take the line that calls sdd out of it by hand: sdd did not write it"
		}
		h.Lines = []string{} // nothing is to be added
		if h.State == HookForeign && !h.Changed || h.State == HookMissing {
			h.Fix = ""
		}
		return h, err
	})
}

// hookSite is where the hooks of one repository are.
type hookSite struct {
	git.HooksFolder
	roots []string // of the repository and its work trees, without links
}

func openHooks(ctx context.Context, dir string) (*hookSite, error) {
	folder, err := git.Hooks(ctx, dir)
	if err != nil {
		return nil, err
	}
	s := &hookSite{HooksFolder: folder}
	for _, root := range []string{folder.Common, folder.Top} {
		if root != "" {
			s.roots = append(s.roots, realFolder(root))
		}
	}
	if filepath.Base(folder.Common) == ".git" { // the main work tree
		s.roots = append(s.roots, realFolder(filepath.Dir(folder.Common)))
	}
	return s, nil
}

func (s *hookSite) all(names []string, do func(name string) (Hook, error)) (Hooks, error) {
	out := Hooks{Folder: s.shown(s.Path), Hooks: []Hook{}}
	for _, name := range names {
		h, err := do(name)
		if err != nil {
			return out, err
		}
		out.Hooks = append(out.Hooks, h)
	}
	return out, nil
}

// shown is a path for people.
func (s *hookSite) shown(path string) string {
	if s.Top != "" {
		if rel, err := filepath.Rel(s.Top, path); err == nil && filepath.IsLocal(rel) {
			path = rel
		}
	}
	return filepath.ToSlash(path)
}

// look returns the state of one hook.
func (s *hookSite) look(name string) (Hook, error) {
	f := s.script(name)
	h := Hook{Name: name, File: s.shown(f.path), State: HookMissing, Lines: []string{}}
	if f.foreign == "" {
		blocks, err := hookMarks.find(f.src)
		if err != nil {
			return h, f.at(err)
		}
		if len(blocks) > 0 {
			return s.lookAtBlock(h, f, blocks)
		}
	}
	if o := s.owner(name, f); o != nil {
		if callsHook(readFile(o.File), name) {
			o.State, o.Text, o.Fix, o.Lines = HookInstalled, "by hand", "", []string{}
		}
		o.File = s.shown(o.File)
		return *o, nil
	}
	if callsHook(f.src, name) {
		h.State, h.Text = HookInstalled, "by hand"
		return s.lookAtMode(h, f), nil
	}
	h.Fix = "sdd hooks install --" + name
	return h, nil
}

// lookAtBlock returns the state of a hook that has a block.
func (s *hookSite) lookAtBlock(h Hook, f *hookFile, blocks []block) (Hook, error) {
	h.State = HookInstalled
	program := programOf(f.src, blocks[0])
	want, err := hookMarks.atTop(f.src, "", hookLines(h.Name, program))
	if err != nil {
		return h, f.at(err)
	}
	word, _ := shellWord(program)
	_, missing := exec.LookPath(filepath.FromSlash(word))
	switch {
	case len(blocks) > 1 || program == "" || string(want) != string(f.src):
		h.State, h.Text = HookOutdated, "its block is from another version, or was edited"
	case program != driverName && (f.committed || Program() == driverName):
		h.State, h.Text = HookOutdated, "it calls "+word+", though sdd is on the PATH"
		if f.committed {
			h.Text = "it calls " + word + ", which others do not have"
		}
	case missing != nil && f.committed:
		h.Text = "sdd is not on the PATH, so it does nothing here"
	case temporary(word, s.Common):
		h.State, h.Text, h.Fix = HookOutdated, "it calls "+word+", a temporary program", installHint+", then sdd hooks install --"+h.Name
	case missing != nil:
		h.State, h.Text = HookOutdated, "it calls "+word+", which is not there"
	case program != driverName:
		h.Text = "it calls " + word + ": sdd is not on the PATH"
	case f.committed:
		h.Text = "it is a file of the work tree: commit it, and others have it too"
	}
	if h.State == HookOutdated {
		h.Fix = cmp.Or(h.Fix, "sdd hooks install --"+h.Name)
		return h, nil
	}
	return s.lookAtMode(h, f), nil
}

// lookAtMode returns the state of a hook that git does not run. Windows has no such hooks.
func (s *hookSite) lookAtMode(h Hook, f *hookFile) Hook {
	if runtime.GOOS != "windows" && f.mode&0o111 == 0 {
		h.State, h.Text, h.Fix = HookDisabled, "git passes over it: it is not executable", "chmod +x "+shellQuote(h.File)
	}
	return h
}

// callsHook reports whether a script or a manager's configuration calls this program for a hook.
func callsHook(src []byte, name string) bool {
	for line := range strings.Lines(string(src)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "//") {
			continue
		}
		plain := strings.NewReplacer(`"`, " ", `'`, " ", ",", " ", ".exe", "").Replace(line)
		if strings.Contains(strings.Join(strings.Fields(plain), " ")+" ", driverName+" "+hookCommand(name)+" ") {
			return true
		}
	}
	return false
}

// Text renders the hooks for a person.
func (h Hooks) Text() string {
	var b strings.Builder
	for _, k := range h.Hooks {
		fmt.Fprintf(&b, "%-12s %-10s %s\n", k.Name, k.State, k.File)
		for _, line := range []string{k.Text, k.Fix} {
			if line != "" {
				fmt.Fprintf(&b, "%-12s %s\n", "", line)
			}
		}
		if len(k.Lines) > 0 {
			b.WriteString("\n" + strings.Join(k.Lines, "\n") + "\n\n")
		}
	}
	return b.String()
}

// hooks reports which hooks call this program. They are optional: a missing one is no finding.
func (c *Checkup) hooks(ctx context.Context, st *store.Store) {
	h, err := HooksStatus(ctx, st.Dir(), HookNames)
	if err != nil {
		return // outside of git, or reported already
	}
	var has, lacks []string
	for _, k := range h.Hooks {
		if k.State == HookInstalled {
			has = append(has, k.Name)
			continue
		}
		lacks = append(lacks, k.Name+" "+string(k.State))
		if k.State == HookOutdated {
			c.find("hook", k.File, 0, k.Name+": "+k.Text, k.Fix)
		}
	}
	hint := ""
	if len(lacks) > 0 {
		hint = " (if you want them: sdd hooks status)"
	}
	c.ok("hooks: %s%s", strings.Join(append(has, lacks...), ", "), hint)
}
