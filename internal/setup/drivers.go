package setup

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// git merges and shows records with this program where three things come together: attributes, which say which
// driver a file has; settings, which say what that driver is; and the program. The attribute of the
// merge driver is committed with the store. The settings cannot be: each clone makes its own, by `sdd init`.
// Where they lack, git takes no notice of the attribute and merges as text.
//
// The committed attribute for diffs names git's own driver for Markdown, so that a clone without the program shows
// sections all the same. A clone with it says so in its own attributes, which git holds above the committed ones.

const driverName = "sdd"

// Keys of the settings.
const (
	mergeNameKey   = "merge." + driverName + ".name"
	mergeDriverKey = "merge." + driverName + ".driver"
	textconvKey    = "diff." + driverName + ".textconv"
	sectionsKey    = "diff." + driverName + ".xfuncname"
)

// DriverSettings returns the settings that make program the merge and diff driver of records. program is a word of
// the shell, as Program gives it.
//
// git runs both lines by sh, on Windows too. Without the program, or when it fails, they do what git would
// do: the driver must, since git leaves "ours" without a marker when a driver cannot be started.
func DriverSettings(program string) []git.Setting {
	in := strings.ReplaceAll(program, "%", "%%")
	return []git.Setting{
		{Key: mergeNameKey, Value: "records of sdd, by section and item"},
		{Key: mergeDriverKey, Value: "if command -v " + in + " >/dev/null 2>&1; then " +
			in + " merge-driver %O %A %B %L %P %S %X %Y; s=$?; test $s -lt 2 && exit $s; fi; " +
			`echo "sdd did not run, this is merged as text: "%P >&2; ` +
			"git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"},
		{Key: textconvKey, Value: "f() { " + program + ` textconv "$1" 2>/dev/null || cat "$1"; }; f`},
		{Key: sectionsKey, Value: "^ {0,3}#{1,2}[[:space:]].*$"},
	}
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord reads the first word of a shell command that is a bare word or a quoted one, and what follows it.
func shellWord(s string) (word, rest string) {
	var b strings.Builder
	for s != "" {
		switch {
		case s[0] == '\'':
			quoted, after, _ := strings.Cut(s[1:], "'")
			b.WriteString(quoted)
			s = after
		case s[0] == '\\' && len(s) > 1:
			b.WriteByte(s[1])
			s = s[2:]
		case strings.IndexByte(" \t;&|", s[0]) >= 0:
			return b.String(), s
		default:
			b.WriteByte(s[0])
			s = s[1:]
		}
	}
	return b.String(), ""
}

// Drivers is what the set-up of a clone changed.
type Drivers struct {
	Settings   []git.Setting `json:"settings"`   // set or, by RemoveDrivers, taken out
	Attributes string        `json:"attributes"` // the file of this clone's own attributes when it was changed, else ""
}

// Changed reports whether anything was.
func (d Drivers) Changed() bool { return len(d.Settings) > 0 || d.Attributes != "" }

// SetDrivers makes this program the merge and diff driver of records in a clone, for all its work trees. Doing it
// again changes nothing. A program that will be gone is refused.
func SetDrivers(ctx context.Context, repo *git.Repo) (Drivers, error) {
	done := Drivers{Settings: []git.Setting{}}
	program, err := lastingProgram(repo.Common)
	if err != nil {
		return done, err
	}
	for _, s := range DriverSettings(program) {
		now, ok, err := repo.Config(ctx, s.Key)
		if err != nil {
			return done, err
		}
		if ok && now == s.Value {
			continue
		}
		if err := repo.SetConfig(ctx, s.Key, s.Value); err != nil {
			return done, notConfigured(err)
		}
		done.Settings = append(done.Settings, s)
	}
	changed, err := editAttributes(attributesFile(repo), withBlock)
	if changed {
		done.Attributes = attributesFile(repo)
	}
	return done, err
}

// RemoveDrivers takes out of a clone what SetDrivers put in, and leaves the rest byte for byte.
func RemoveDrivers(ctx context.Context, repo *git.Repo) (Drivers, error) {
	done := Drivers{Settings: []git.Setting{}}
	for _, s := range settingsOf(ctx, repo) {
		if err := repo.UnsetConfig(ctx, s.Key); err != nil {
			return done, notConfigured(err)
		}
		done.Settings = append(done.Settings, s)
	}
	changed, err := editAttributes(attributesFile(repo), withoutBlock)
	if changed {
		done.Attributes = attributesFile(repo)
	}
	return done, err
}

// settingsOf returns the settings of the drivers that are set in this clone.
func settingsOf(ctx context.Context, repo *git.Repo) []git.Setting {
	set := []git.Setting{}
	for _, s := range DriverSettings("") {
		now, err := repo.Run(ctx, "config", "--local", "--null", "--get", s.Key)
		if err == nil {
			set = append(set, git.Setting{Key: s.Key, Value: strings.TrimSuffix(string(now), "\x00")})
		}
	}
	return set
}

// driversSet is what RemoveDrivers would take out.
func driversSet(ctx context.Context, repo *git.Repo) (Drivers, error) {
	d := Drivers{Settings: settingsOf(ctx, repo)}
	src, err := os.ReadFile(attributesFile(repo))
	if err != nil {
		return d, nil
	}
	rest, exists, err := withoutBlock(src, true)
	if !exists || len(rest) != len(src) {
		d.Attributes = attributesFile(repo)
	}
	return d, err
}

func notConfigured(err error) error {
	if fault.Is(err, fault.Unavailable) {
		return err
	}
	f := fault.New(fault.Unwritable, "git's configuration of this clone cannot be written: %v", err).With("make its .git/config writable, then run sdd init")
	f.Cause = err
	return f
}

func attributesFile(repo *git.Repo) string { return filepath.Join(repo.Common, "info", "attributes") }

// The block of a clone's own attributes stands above all else in the file: what is there keeps its bytes, even
// without a line end at its end, and has the last word.
const (
	blockStart    = "# >>> sdd: set by sdd init, taken out by sdd init --remove-drivers"
	blockNewFile  = " with this file"
	blockEnd      = "# <<< sdd"
	byteOrderMark = "\ufeff"
)

// recordPattern matches the records of a kind in every store of a repository.
func recordPattern(k record.Kind) string {
	return "**/" + store.Folder + "/" + record.Folder(k) + "/**/*.md"
}

// withBlock returns a file of attributes with the block; exists says whether there is one.
func withBlock(src []byte, exists bool) ([]byte, bool, error) {
	rest, existed, err := withoutBlock(src, exists)
	if err != nil {
		return nil, false, err
	}
	start := blockStart
	if !existed {
		start += blockNewFile
	}
	rest, marked := bytes.CutPrefix(rest, []byte(byteOrderMark))
	var b bytes.Buffer
	if marked {
		b.WriteString(byteOrderMark)
	}
	b.WriteString(start + "\n")
	for _, k := range record.Kinds {
		b.WriteString(recordPattern(k) + " diff=" + driverName + "\n")
	}
	b.WriteString(blockEnd + "\n")
	b.Write(rest)
	return b.Bytes(), true, nil
}

// withoutBlock returns a file of attributes without the block, and whether there is one left: a file that was
// made for the block goes with it, unless somebody wrote into it.
func withoutBlock(src []byte, exists bool) ([]byte, bool, error) {
	start := bytes.Index(src, []byte(blockStart))
	if start < 0 || start > 0 && src[start-1] != '\n' && string(src[:start]) != byteOrderMark {
		return src, exists, nil
	}
	end := bytes.Index(src[start:], []byte("\n"+blockEnd))
	if end < 0 {
		return nil, false, fault.New(fault.Broken, "the block of sdd in git's info/attributes has no end").
			With("delete its lines by hand, from " + blockStart + " on, and run sdd init")
	}
	end += start + 1 + len(blockEnd)
	if n := bytes.IndexByte(src[end:], '\n'); n >= 0 {
		end += n + 1
	} else {
		end = len(src)
	}
	first, _, _ := bytes.Cut(src[start:end], []byte("\n"))
	rest := append(bytes.Clone(src[:start]), src[end:]...)
	made := bytes.HasSuffix(bytes.TrimRight(first, "\r"), []byte(blockNewFile))
	return rest, !made || len(rest) > 0, nil
}

// editAttributes changes a file of attributes in one step and reports whether it differs.
func editAttributes(path string, edit func(src []byte, exists bool) ([]byte, bool, error)) (bool, error) {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	src, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return false, err
	}
	existed := err == nil
	out, exists, err := edit(src, existed)
	switch {
	case err != nil:
		return false, err
	case exists == existed && bytes.Equal(out, src):
		return false, nil
	case !exists:
		return true, os.Remove(path)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	err = replaceFile(path, out, mode)
	return err == nil, err
}
