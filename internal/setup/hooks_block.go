package setup

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"sdd/internal/fault"
)

// A hook is a script of somebody's. The block of this program stands at its top, below the line that names the
// interpreter: whatever ends the script early comes after it, and all other bytes stay what they are.
//
// The first line of the block tells what was made for it: with the file, and with how many folders. A hook of one line
// without an end gets a block without one: so that is known too when the block is taken out.

const (
	hookStart   = "# >>> sdd hook: put in by sdd hooks install, taken out by sdd hooks uninstall"
	hookEnd     = "# <<< sdd hook"
	hookMade    = "; made with this file"
	hookFolders = " and %d folders"
	hookShell   = "#!/bin/sh\n" // the rest of a file that was made for the block
)

// HookNames are the hooks that a block may stand in, in the order of a commit's life.
var HookNames = []string{"pre-commit", "post-commit", "post-merge"}

// hookCommand is what a hook runs, behind the name of the program.
func hookCommand(name string) string {
	if name == "pre-commit" {
		return "check --staged"
	}
	return "hook " + name
}

// aside runs a command so that git does not wait for it, and it says nothing: what follows from a commit is nobody's wait.
const aside = " >/dev/null 2>&1 &"

// hookLines returns what a hook is to do, for sh. program is a word of the shell, as Program gives it. Only findings
// that are errors keep a commit from being made: a program that is missing, older or fails does not.
func hookLines(name, program string) []string {
	run := program + " " + hookCommand(name)
	if name != "pre-commit" {
		return []string{
			"if command -v " + program + " >/dev/null 2>&1; then",
			"  " + run + aside,
			"fi",
		}
	}
	return []string{
		"if command -v " + program + " >/dev/null 2>&1; then",
		"  " + run + " || test $? -ne 5 || exit 1",
		"else",
		"  echo 'sdd was not found: records of .sdd are committed unchecked' >&2",
		"fi",
	}
}

// hookLine is hookLines in one line, for files that are no script.
func hookLine(name, program string) string {
	run := program + " " + hookCommand(name)
	if name != "pre-commit" {
		return "if command -v " + program + " >/dev/null 2>&1; then " + run + aside + " fi"
	}
	return "if command -v " + program + " >/dev/null 2>&1; then " + run + " || test $? -ne 5 || exit 1; fi"
}

// hookBlock is where a block stands in a hook.
type hookBlock struct {
	start, end int    // the line end behind it included
	made       string // what the first line says behind hookStart
	program    string // the word of the shell that it calls, "" when that cannot be read
}

// findHookBlocks returns the blocks of a hook. One without an end is a fault that is Broken.
func findHookBlocks(src []byte) ([]hookBlock, error) {
	var all []hookBlock
	open := false
	for at := 0; at < len(src); {
		next := len(src)
		if n := bytes.IndexByte(src[at:], '\n'); n >= 0 {
			next = at + n + 1
		}
		line := strings.TrimRight(string(src[at:next]), "\r\n")
		made, starts := strings.CutPrefix(line, hookStart)
		switch {
		case starts && open:
			return nil, openHookBlock(src, all[len(all)-1].start)
		case starts:
			all, open = append(all, hookBlock{start: at, made: made}), true
		case open && line == hookEnd:
			all[len(all)-1].end, open = next, false
		case open:
			b := &all[len(all)-1]
			if call, ok := strings.CutPrefix(line, "if command -v "); ok && b.program == "" {
				_, rest := shellWord(call)
				b.program = strings.TrimSuffix(call, rest)
			}
		}
		at = next
	}
	if open {
		return nil, openHookBlock(src, all[len(all)-1].start)
	}
	return all, nil
}

func openHookBlock(src []byte, at int) error {
	return fault.New(fault.Broken, "the block of sdd that begins in line %d has no end", bytes.Count(src[:at], []byte("\n"))+1).
		With("delete its lines by hand and run sdd hooks install")
}

// hookBlockText returns a block, with its line end.
func hookBlockText(made string, lines []string) string {
	return hookStart + made + "\n" + strings.Join(lines, "\n") + "\n" + hookEnd + "\n"
}

// withHookBlock returns a hook with the block. One that is there is replaced where it stands.
func withHookBlock(src []byte, lines []string) ([]byte, error) {
	blocks, err := findHookBlocks(src)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 1 {
		b := blocks[0]
		now := src[b.start:b.end]
		text := []byte(hookBlockText(b.made, lines))
		if bytes.Equal(bytes.TrimSuffix(text, []byte("\n")), bytes.TrimSuffix(bytes.ReplaceAll(now, []byte("\r\n"), []byte("\n")), []byte("\n"))) {
			return src, nil // git may have changed its line ends
		}
		if !bytes.HasSuffix(now, []byte("\n")) {
			text = bytes.TrimSuffix(text, []byte("\n"))
		}
		return concat(src[:b.start], text, src[b.end:]), nil
	}
	if src, err = withoutHookBlocks(src); err != nil {
		return nil, err
	}
	text := hookBlockText("", lines)
	at := 0
	if bytes.HasPrefix(src, []byte("#!")) {
		if at = bytes.IndexByte(src, '\n') + 1; at == 0 {
			return concat(src, []byte("\n"+strings.TrimSuffix(text, "\n")), nil), nil
		}
	}
	return concat(src[:at], []byte(text), src[at:]), nil
}

// withoutHookBlocks returns a hook without its blocks.
func withoutHookBlocks(src []byte) ([]byte, error) {
	blocks, err := findHookBlocks(src)
	if err != nil {
		return nil, err
	}
	for i := len(blocks) - 1; i >= 0; i-- {
		b := blocks[i]
		before := src[:b.start]
		if src[b.end-1] != '\n' {
			before = bytes.TrimSuffix(before, []byte("\n")) // it was put there for the block
		}
		src = concat(before, nil, src[b.end:])
	}
	return src, nil
}

func concat(a, b, c []byte) []byte {
	out := make([]byte, 0, len(a)+len(b)+len(c))
	return append(append(append(out, a...), b...), c...)
}

// newHook returns the file that is made for a block where there is no hook, and folders that are made for the file.
func newHook(lines []string, folders int) []byte {
	made := hookMade
	if folders > 0 {
		made += fmt.Sprintf(hookFolders, folders)
	}
	return []byte(hookShell + hookBlockText(made, lines))
}

// madeFor reports whether a hook holds nothing that was not made for its block, and how many folders were.
func madeFor(src []byte) (file bool, folders int) {
	blocks, err := findHookBlocks(src)
	if err != nil || len(blocks) != 1 {
		return false, 0
	}
	more, ok := strings.CutPrefix(blocks[0].made, hookMade)
	if !ok {
		return false, 0
	}
	fmt.Sscanf(more, hookFolders, &folders)
	rest, _ := withoutHookBlocks(src) // found before
	return strings.ReplaceAll(string(rest), "\r\n", "\n") == hookShell, folders
}

// shells are the interpreters that understand a block.
var shells = map[string]bool{"sh": true, "bash": true, "dash": true, "ash": true, "ksh": true, "ksh93": true, "mksh": true, "zsh": true, "yash": true}

// interpreter returns what runs a script, and whether that is a shell that understands a block. git runs a script
// that names nothing by sh.
func interpreter(src []byte) (name string, shell bool) {
	if bytes.IndexByte(src, 0) >= 0 {
		return "a program", false
	}
	if bytes.HasPrefix(src, []byte(byteOrderMark)) {
		return "a text with a byte order mark", false
	}
	line, ok := bytes.CutPrefix(src, []byte("#!"))
	if !ok {
		return "sh", true
	}
	line, _, _ = bytes.Cut(line, []byte("\n"))
	words := strings.Fields(string(line))
	if len(words) > 0 && scriptName(words[0]) == "env" {
		words = words[1:]
		for len(words) > 0 && (strings.HasPrefix(words[0], "-") || strings.Contains(words[0], "=")) {
			words = words[1:]
		}
	}
	if len(words) > 1 && scriptName(words[0]) == "busybox" {
		words = words[1:]
	}
	if len(words) == 0 {
		return "an unknown interpreter", false
	}
	name = scriptName(words[0])
	return name, shells[name]
}

// scriptName is the last part of a path, of Windows too, without .exe.
func scriptName(p string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(p, `\`, "/")), ".exe")
}
