package setup

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"sdd/internal/fault"
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

// HooksStatus returns for each hook whether it calls this program. dir is in a work tree or a bare repository.
func HooksStatus(ctx context.Context, dir string, names []string) (Hooks, error) {
	return eachHook(ctx, dir, names, (*hookSite).look)
}

// InstallHooks makes the hooks call this program, and refuses a temporary one. It writes only files of the repository, but none that a
// hook manager writes or that is not a script of a shell: for those the result has the lines to add. A second call changes nothing.
func InstallHooks(ctx context.Context, dir string, names []string) (Hooks, error) {
	folders := -1
	return eachHook(ctx, dir, names, func(s *hookSite, name string) Hook {
		program := fault.Must(lastingProgram(s.Common))
		if folders < 0 { // before the first is made
			folders = s.foldersMade()
		}
		h := s.look(name)
		if h.State != HookMissing && h.State != HookOutdated {
			return h
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
		fault.Check(f.put(f.withBlock(src, made, lines), true))
		h = s.look(name)
		h.Changed = true
		return h
	})
}

// UninstallHooks undoes InstallHooks and keeps all other bytes; it removes a file and folders that InstallHooks made. Lines that the
// user added stay.
func UninstallHooks(ctx context.Context, dir string, names []string) (Hooks, error) {
	return eachHook(ctx, dir, names, func(s *hookSite, name string) Hook {
		// Before core.hooksPath was set, the block went into the default folder.
		changed := ""
		for _, folder := range []string{s.Default(), s.Path} {
			if f := s.scriptIn(folder, name); f.withdraw() {
				changed = f.path
			}
		}
		h := s.look(name)
		switch {
		case changed != "":
			h.Changed, h.File, h.Text, h.Fix = true, s.shown(changed), "taken out", ""
		case h.State == HookInstalled:
			h.Fix = "take the line that calls sdd out of it by hand: sdd did not write it"
		case h.State == HookForeign, h.State == HookMissing:
			h.Fix = ""
		}
		h.Lines = []string{} // nothing is to be added
		return h
	})
}

// hookSite is where the hooks of one repository are.
type hookSite struct {
	git.HooksFolder
	roots []string // of the repository and its work trees, without links
}

// eachHook returns what do returns for each of the hooks, up to the first error; do ends with one by fault.Check.
func eachHook(ctx context.Context, dir string, names []string, do func(s *hookSite, name string) Hook) (out Hooks, err error) {
	defer fault.Caught(&err)
	folder := fault.Must(git.Hooks(ctx, dir))
	s := &hookSite{HooksFolder: folder}
	for _, root := range []string{folder.Common, folder.Top} {
		if root != "" {
			s.roots = append(s.roots, realFolder(root))
		}
	}
	if filepath.Base(folder.Common) == ".git" { // the main work tree
		s.roots = append(s.roots, realFolder(filepath.Dir(folder.Common)))
	}
	out = Hooks{Folder: s.shown(s.Path), Hooks: []Hook{}}
	for _, name := range names {
		out.Hooks = append(out.Hooks, do(s, name))
	}
	return out, nil
}

func (s *hookSite) shown(path string) string {
	if rel, ok := relative(s.Top, path); ok {
		return rel
	}
	return filepath.ToSlash(path)
}

func (s *hookSite) look(name string) Hook {
	f := s.script(name)
	h := Hook{Name: name, File: s.shown(f.path), State: HookMissing, Lines: []string{}}
	if f.foreign == "" {
		if blocks := f.blocks(); len(blocks) > 0 {
			return s.lookAtBlock(h, f, blocks)
		}
	}
	if o := s.owner(name, f); o != nil {
		if callsHook(readFile(o.File), name) {
			o.State, o.Text, o.Fix, o.Lines = HookInstalled, "by hand", "", []string{}
		}
		o.File = s.shown(o.File)
		return *o
	}
	if callsHook(f.src, name) {
		h.State, h.Text = HookInstalled, "by hand"
		return s.lookAtMode(h, f)
	}
	h.Fix = "sdd hooks install --" + name
	return h
}

func (s *hookSite) lookAtBlock(h Hook, f *hookFile, blocks []block) Hook {
	h.State = HookInstalled
	program := programOf(f.src, blocks[0])
	want := f.withBlock(f.src, "", hookLines(h.Name, program))
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
		return h
	}
	return s.lookAtMode(h, f)
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

// hookFile is the file of a hook, which need not exist. path is where git looks for it.
type hookFile struct {
	*ownedFile
	committed bool   // it is in a work tree, not in a git folder
	foreign   string // why this program must not write it, "" when it may
}

func (s *hookSite) script(name string) *hookFile { return s.scriptIn(s.Path, name) }

func (s *hookSite) scriptIn(folder, name string) *hookFile {
	path := filepath.Join(folder, name)
	owned, err := openOwned(path, "")
	if err != nil {
		foreign, _, _ := strings.Cut(fault.Of(err).Message, ":")
		return &hookFile{ownedFile: &ownedFile{path: path, target: path}, foreign: foreign}
	}
	f := &hookFile{ownedFile: owned, committed: !below(s.roots[0], owned.target)}
	if !f.exists {
		f.mode = 0o755
	}
	base := filepath.Base(f.target)
	switch {
	case !slices.ContainsFunc(s.roots, func(root string) bool { return below(root, f.target) }):
		f.foreign = "it lies outside of the repository, for others too"
	case f.link && strings.TrimSuffix(base, filepath.Ext(base)) != name:
		f.foreign = "it is a link to " + s.shown(f.target) + ", which may be the file of other hooks too"
	case f.exists:
		if by, shell := interpreter(f.src); !shell {
			f.foreign = "it is not a script of the shell, but of " + by
		}
	}
	return f
}

// realFolder returns a path without links, as far as it exists.
func realFolder(path string) string {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real
	}
	if parent := filepath.Dir(path); parent != path {
		return filepath.Join(realFolder(parent), filepath.Base(path))
	}
	return path
}

// foldersMade returns the number of folders that a new hook needs, or that were made for an existing hook.
func (s *hookSite) foldersMade() int {
	n := foldersAbove(filepath.Join(s.Path, HookNames[0]), nil)
	for _, name := range HookNames {
		if f := s.script(name); n == 0 && f.foreign == "" {
			_, n = madeFor(f.src)
		}
	}
	return n
}

// withdraw removes the block from the file and reports whether there was one.
func (f *hookFile) withdraw() bool {
	blocks := f.blocks()
	if f.foreign != "" || len(blocks) == 0 {
		return false
	}
	made, folders := madeFor(f.src)
	made = made && !f.link
	fault.Check(f.put(withoutTop(f.src, blocks), !made))
	if made {
		removeEmptyFolders(f.path, folders)
	}
	return true
}

func (f *hookFile) blocks() []block {
	all, err := hookMarks.find(f.src)
	f.check(err)
	return all
}

func (f *hookFile) withBlock(src []byte, made string, lines []string) []byte {
	out, err := hookMarks.atTop(src, made, lines)
	f.check(err)
	return out
}

// check adds the file to a fault about its block, whose message has the line.
func (f *hookFile) check(err error) {
	if err != nil {
		fault.Check(fault.Of(err).At(filepath.ToSlash(f.path), 0))
	}
}

// readFile returns a file's bytes, none when it cannot be read.
func readFile(path string) []byte {
	src, _ := os.ReadFile(path)
	return src
}
