package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/store"
)

// Uninstalled is what Uninstall removed, or in a dry run would remove.
type Uninstalled struct {
	Changes
	Hooks   []Hook   `json:"hooks"`   // those that called this program
	Drivers Drivers  `json:"drivers"` // those in git's configuration of the clone
	Removed []string `json:"removed"` // files and folders of this program's own, absolute
	Left    []string `json:"left"`    // what stays, and why
}

// Uninstall removes what the program added to this machine; with purge the records too. pending: the journal has changes in no file.
func (s Surroundings) Uninstall(ctx context.Context, root string, dryRun, purge, pending bool) (u Uninstalled, err error) {
	defer fault.Caught(&err)
	u = Uninstalled{Changes: Changes{DryRun: dryRun, Root: root, Changes: []Change{}}, Drivers: Drivers{Settings: []git.Setting{}},
		Hooks: []Hook{}, Removed: []string{}, Left: []string{}}
	fault.Check(s.takeOutOfRepository(ctx, root, &u))
	remove := func(path string) {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return
		}
		u.Removed = append(u.Removed, filepath.ToSlash(path))
		if dryRun {
			return
		}
		if err := os.RemoveAll(path); err != nil {
			fault.Check(fault.New(fault.Unwritable, "it cannot be removed: %s", plainError(err)).With("remove it by hand").
				At(filepath.ToSlash(path), 0))
		}
	}
	// Before the lock of the notes is released, which removes the folder of configuration when nothing is in it.
	remove(filepath.Join(s.own(), trustKey))
	remove(filepath.Join(s.cache(), driverName))
	s.takeOutOfFiles(root, &u)
	if !dryRun {
		os.Remove(s.own()) // when nothing is in it
	}
	records := filepath.Join(root, store.Folder)
	info, missing := os.Lstat(records)
	switch {
	case missing != nil:
	case info.Mode()&fs.ModeSymlink != 0:
		u.Left = append(u.Left, filepath.ToSlash(records)+": it is a link")
	case purge:
		remove(records)
	default:
		if pending {
			u.Left = append(u.Left, filepath.ToSlash(filepath.Join(records, ".local"))+": it holds changes that are in no file (sdd resolve)")
		} else {
			remove(filepath.Join(records, ".local"))
		}
		if views := filepath.Join(records, "views"); tracked(ctx, views) {
			u.Left = append(u.Left, filepath.ToSlash(views)+": git tracks pages of it")
		} else {
			remove(views)
		}
		u.Left = append(u.Left, filepath.ToSlash(records)+": the records, which need no program (--purge deletes them)")
	}
	if s.Program != "" {
		u.Left = append(u.Left, filepath.ToSlash(s.Program)+": the program itself")
	}
	return u, nil
}

func tracked(ctx context.Context, folder string) bool {
	if info, err := os.Lstat(folder); err != nil || !info.IsDir() {
		return false
	}
	files, err := git.Run(ctx, folder, "ls-files", "-z", "--", ".")
	return err == nil && len(files) > 0
}

// trustKey is the file of internal/allow with the key that signs trust.
const trustKey = "trust-key"

// takeOutOfRepository removes hooks and drivers.
func (s Surroundings) takeOutOfRepository(ctx context.Context, root string, u *Uninstalled) error {
	hooks, err := HooksStatus(ctx, root, HookNames)
	if fault.Is(err, fault.Unavailable) {
		return nil // there is no repository, or no git
	}
	if err == nil && !u.DryRun {
		hooks, err = UninstallHooks(ctx, root, HookNames)
	}
	if err != nil {
		return err
	}
	for _, h := range hooks.Hooks {
		switch {
		case h.Changed, u.DryRun && h.State != HookMissing && h.State != HookForeign && h.Text != "by hand":
			u.Hooks = append(u.Hooks, h)
		case h.State == HookInstalled:
			u.Left = append(u.Left, h.File+": it calls sdd by a line that somebody wrote by hand")
		}
	}
	repo, err := git.Open(root)
	if err != nil {
		return nil // a bare repository has no drivers
	}
	u.Drivers, err = RemoveDrivers(ctx, repo, u.DryRun)
	return err
}

func (s Surroundings) takeOutOfFiles(root string, u *Uninstalled) {
	w := s.worker(u.DryRun)
	defer func() {
		w.end()
		u.Changes.Changes = append(u.Changes.Changes, w.done...)
	}()
	w.removeAll(Request{Root: root}, nil, nil)
	var others []string // other projects that were set up here
	for _, n := range s.notes().all() {
		if n.Root != "" && n.Root != root && !slices.Contains(others, n.Root) {
			others = append(others, n.Root)
		}
	}
	for _, other := range others {
		w.removeAll(Request{Root: other, Scope: ProjectScope}, nil, nil)
		if exists(filepath.Join(other, ".git")) {
			u.Left = append(u.Left, fmt.Sprintf("%s: hooks and drivers, if there are any (run sdd uninstall there)", filepath.ToSlash(other)))
		}
	}
	w.remove(s.instructionPieces(root, nil)...)
	for _, n := range s.notes().all() {
		path := filepath.ToSlash(n.Path)
		if slices.ContainsFunc(w.done, func(d Change) bool { return d.State == ByHand && d.File == path && !n.Command }) {
			u.Left = append(u.Left, fmt.Sprintf("%s: what sdd setup wrote to %s, should somebody bring it back",
				filepath.ToSlash(s.notes().folder(n.File, n.Part)), path))
		}
	}
}
