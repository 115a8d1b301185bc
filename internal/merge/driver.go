package merge

import (
	"context"
	"os"
	"strings"

	"sdd/internal/atomicfile"
	"sdd/internal/git"
)

// Driver is one call of the merge driver by git, with the files it names.
type Driver struct {
	Base, Ours, Theirs string // %O %A %B; the result goes to Ours
	MarkerSize         int    // %L
	Path               string // %P, "" when the driver's setting does not pass it
	Labels             Labels // %S %X %Y, which git knows from 2.44 on
}

// Run merges and reports whether no conflict is left. The result replaces Ours in one step. After an error Ours is
// unchanged, and git can merge without the driver.
//
// A base that git makes itself, where histories cross, gets the base between its markers: the next merge needs it.
// Only longer markers distinguish such a call.
func (d Driver) Run(ctx context.Context) (clean bool, err error) {
	var v Versions
	for _, f := range []struct {
		name string
		text *[]byte
	}{{d.Base, &v.Base}, {d.Ours, &v.Ours}, {d.Theirs, &v.Theirs}} {
		if *f.text, err = os.ReadFile(f.name); err != nil {
			return false, err
		}
	}
	l := d.Labels
	l.MarkerSize = d.MarkerSize
	file := d.Path
	if file == "" {
		file = ".sdd/explore/x.md" // a call without a path comes from an older setting, for records only
	}
	m, err := File(ctx, file, v, l, d.MarkerSize > defaultSize)
	if err != nil {
		return false, err
	}
	if !m.Clean && d.MarkerSize <= defaultSize && wantsBase(ctx) {
		if m, err = File(ctx, file, v, l, true); err != nil {
			return false, err
		}
	}
	info, err := os.Stat(d.Ours)
	if err != nil {
		return m.Clean, err
	}
	return m.Clean, atomicfile.Replace(d.Ours, m.Out, info.Mode().Perm())
}

// wantsBase reports whether git is configured to show the base in conflicts.
func wantsBase(ctx context.Context) bool {
	out, err := git.Run(ctx, ".", "config", "--get", "merge.conflictStyle")
	return err == nil && strings.HasSuffix(strings.TrimSpace(string(out)), "diff3")
}
