package setup

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/sealed"
	"sdd/internal/store"
)

// Attributes name the driver of a file and are committed; settings give its command, and each clone makes them by `sdd init`. The committed
// attribute for diffs names git's own driver for Markdown; a clone with the program names the program's in its own attributes.

const driverName = "sdd"

const (
	mergeNameKey   = "merge." + driverName + ".name"
	mergeDriverKey = "merge." + driverName + ".driver"
	textconvKey    = "diff." + driverName + ".textconv"
	sectionsKey    = "diff." + driverName + ".xfuncname"
)

// DriverSettings returns lines that git runs by sh; without the program they do what git would, since a failed driver leaves "ours".
func DriverSettings(program string) []git.Setting {
	in := strings.ReplaceAll(program, "%", "%%")
	return []git.Setting{
		{Key: mergeNameKey, Value: "records of sdd, by section and item"},
		{Key: mergeDriverKey, Value: "if command -v " + in + " >/dev/null 2>&1; then " +
			in + " merge-driver %O %A %B %L %P %S %X %Y; s=$?; test $s -lt 2 && exit $s; fi; " +
			"case %P in *" + sealed.Ext + `) echo "sdd did not run, and an encrypted file is not merged as text: "%P >&2; exit 1;; esac; ` +
			`echo "sdd did not run, this is merged as text: "%P >&2; ` +
			"git merge-file -q --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1"},
		{Key: textconvKey, Value: "f() { " + program + ` textconv "$1" 2>/dev/null || cat "$1"; }; f`},
		{Key: sectionsKey, Value: "^ {0,3}#{1,2}[[:space:]].*$"},
	}
}

func shellQuote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// shellWord splits a shell command after its first word, which may be quoted.
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

func (d Drivers) Changed() bool { return len(d.Settings) > 0 || d.Attributes != "" }

// SetDrivers makes this program the merge and diff driver of records in a clone. It refuses a temporary program.
func SetDrivers(ctx context.Context, repo *git.Repo) (done Drivers, err error) {
	defer fault.Caught(&err)
	done.Settings = []git.Setting{}
	for _, s := range DriverSettings(fault.Must(lastingProgram(repo.Common))) {
		now, ok, err := repo.Config(ctx, s.Key)
		fault.Check(err)
		if !ok || now != s.Value {
			fault.Check(notConfigured(repo.SetConfig(ctx, s.Key, s.Value)))
			done.Settings = append(done.Settings, s)
		}
	}
	done.Attributes = fault.Must(editAttributes(repo, withBlock, false))
	return done, nil
}

// RemoveDrivers undoes SetDrivers in a clone, and keeps all other bytes; in a dry run it returns what it would take out.
func RemoveDrivers(ctx context.Context, repo *git.Repo, dryRun bool) (done Drivers, err error) {
	defer fault.Caught(&err)
	done.Settings = []git.Setting{}
	for _, s := range DriverSettings("") {
		now, err := repo.Run(ctx, "config", "--local", "--null", "--get", s.Key)
		if err != nil {
			continue
		}
		if !dryRun {
			fault.Check(notConfigured(repo.UnsetConfig(ctx, s.Key)))
		}
		done.Settings = append(done.Settings, git.Setting{Key: s.Key, Value: strings.TrimSuffix(string(now), "\x00")})
	}
	done.Attributes = fault.Must(editAttributes(repo, withoutBlock, dryRun))
	return done, nil
}

func notConfigured(err error) error {
	if err == nil || fault.Is(err, fault.Unavailable) {
		return err
	}
	return fault.New(fault.Unwritable, "git's configuration of this clone cannot be written: %v", err).
		With("make its .git/config writable, then run sdd init").From(err)
}

// The block of a clone's own attributes comes before everything else in the file: the other lines keep their bytes, and decide.
var attributeMarks = marks{"# >>> sdd: set by sdd init, taken out by sdd init --remove-drivers", "# <<< sdd", "sdd init"}

const blockNewFile = " with this file" // on the first line, when the file was made for the block

// withBlock returns a file of attributes with the block; exists reports whether there is a file.
func withBlock(src []byte, exists bool) ([]byte, bool, error) {
	made := ""
	if !exists {
		made = blockNewFile
	}
	var lines []string
	for _, k := range record.Kinds {
		lines = append(lines, "**/"+store.Folder+"/"+record.Folder(k)+"/**/*.md diff="+driverName)
	}
	lines = append(lines, "**/"+store.Folder+"/"+sealed.Folder+"/**/*"+sealed.Ext+" diff="+driverName+" merge="+driverName)
	below := bytes.TrimPrefix(src, []byte(byteOrderMark))
	out, err := attributeMarks.atTop(below, made, lines)
	return slices.Concat(src[:len(src)-len(below)], out), true, err
}

// withoutBlock returns a file of attributes without the block, and whether a file is left: not one that was made for the block.
func withoutBlock(src []byte, exists bool) ([]byte, bool, error) {
	blocks, err := attributeMarks.find(src)
	if err != nil || len(blocks) == 0 {
		return src, exists, err
	}
	rest := withoutTop(src, blocks)
	return rest, blocks[0].made != blockNewFile || len(rest) > 0, nil
}

// editAttributes changes the clone's own attributes in one step unless in a dry run, and returns their file if it differs.
func editAttributes(repo *git.Repo, edit func(src []byte, exists bool) ([]byte, bool, error), dryRun bool) (changed string, err error) {
	defer fault.Caught(&err)
	f := fault.Must(openOwned(filepath.Join(repo.Common, "info", "attributes"), ""))
	out, exists, err := edit(f.src, f.exists)
	fault.Check(err)
	if exists == f.exists && bytes.Equal(out, f.src) {
		return "", nil
	}
	if !dryRun {
		err = f.put(out, exists)
	}
	return f.path, err
}
