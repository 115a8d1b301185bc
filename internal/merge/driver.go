package merge

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/atomicfile"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/markdown"
	"sdd/internal/record"
	"sdd/internal/sealed"
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
	v, err := readVersions(d.Base, d.Ours, d.Theirs, os.ReadFile)
	if err != nil {
		return false, err
	}
	l := d.Labels
	l.MarkerSize = d.MarkerSize
	file := d.Path
	if file == "" {
		file = ".sdd/explore/x.md" // a call without a path comes from an older setting, for records only
	}
	if sealed.Is(file) {
		return d.private(file, v)
	}
	m, err := File(ctx, file, v, l, d.MarkerSize > record.MarkerSize)
	if err != nil {
		return false, err
	}
	if !m.Clean && d.MarkerSize <= record.MarkerSize && wantsBase(ctx) {
		if m, err = File(ctx, file, v, l, true); err != nil {
			return false, err
		}
	}
	return m.Clean, d.write(m.Out)
}

// write replaces Ours in one step.
func (d Driver) write(out []byte) error {
	info, err := os.Stat(d.Ours)
	if err != nil {
		return err
	}
	return atomicfile.Replace(d.Ours, out, info.Mode().Perm())
}

// private merges an encrypted record when the user has the key, without markers on the disk; else the fault Conflict says why not.
func (d Driver) private(file string, v Versions) (clean bool, err error) {
	refuse := func(why, hint string) (bool, error) {
		return false, fault.New(fault.Conflict, "the private record is not merged: %s", why).With(hint)
	}
	const take = "git checkout --ours or --theirs takes one side; " +
		"git show :3:FILE | sdd textconv /dev/stdin shows the other to who has the key"
	root, in, _ := strings.Cut("/"+filepath.ToSlash(file), "/.sdd/")
	sdd := filepath.Join("."+root, ".sdd") // git calls the driver at the top of the work tree
	c, err := config.Load(sdd)
	if err != nil {
		return refuse(err.Error(), take)
	}
	keys := sealed.Open(c, filepath.Join(sdd, ".local"))
	for _, src := range []*[]byte{&v.Base, &v.Ours, &v.Theirs} {
		if len(*src) == 0 && src == &v.Base {
			continue // both sides have made it
		}
		if *src, err = keys.Decrypt(*src); errors.Is(err, sealed.ErrNoKey) {
			return refuse("encrypted text cannot be merged without the key", take)
		} else if err != nil {
			return refuse(err.Error(), take)
		}
	}
	kind, _ := record.KindOf(sealed.Plain(in))
	m := record.Merge(kind, v.Base, v.Ours, v.Theirs, markdown.MergeLabels{})
	if len(m.Conflicts) > 0 {
		return refuse("both sides changed the same words of "+m.Conflicts[0].Where, take)
	}
	out, err := keys.Encrypt(m.Out)
	if err != nil {
		return refuse(err.Error(), fault.Of(err).Hint)
	}
	err = d.write(out)
	return err == nil, err
}

// wantsBase reports whether git is configured to show the base in conflicts.
func wantsBase(ctx context.Context) bool {
	out, err := git.Run(ctx, ".", "config", "--get", "merge.conflictStyle")
	return err == nil && strings.HasSuffix(strings.TrimSpace(string(out)), "diff3")
}
