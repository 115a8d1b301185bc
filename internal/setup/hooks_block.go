package setup

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"

	"sdd/internal/fault"
)

// The block of this program is at the top of a hook, below the line with the interpreter: any exit of the script comes after it, and all
// other bytes stay.
//
// The first line of the block records whether the file was made for it, and how many folders. A hook of one line without a line end
// gets a block without one, so that removing the block restores it.

var hookMarks = marks{"# >>> sdd hook: put in by sdd hooks install, taken out by sdd hooks uninstall", "# <<< sdd hook"}

const (
	hookMade    = "; made with this file"
	hookFolders = " and %d folders"
	hookShell   = "#!/bin/sh\n" // the rest of a file that was made for the block
)

// HookNames are the hooks that can get a block, in the order in which git runs them.
var HookNames = []string{"pre-commit", "post-commit", "post-merge"}

// hookCommand is the arguments with which a hook calls the program.
func hookCommand(name string) string {
	if name == "pre-commit" {
		return "check --staged"
	}
	return "hook " + name
}

// inBackground ends a command that git does not wait for, and whose output it drops.
const inBackground = " >/dev/null 2>&1 &"

// hookLines returns the lines of a hook for sh. program is a word of the shell, as Program returns it. Only findings that are errors
// stop a commit: a program that is missing, older or fails does not.
func hookLines(name, program string) []string {
	run := program + " " + hookCommand(name)
	if name != "pre-commit" {
		return []string{
			"if command -v " + program + " >/dev/null 2>&1; then",
			"  " + run + inBackground,
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

// hookLine is hookLines in one line, for files that are not scripts.
func hookLine(name, program string) string {
	run := program + " " + hookCommand(name)
	if name != "pre-commit" {
		return "if command -v " + program + " >/dev/null 2>&1; then " + run + inBackground + " fi"
	}
	return "if command -v " + program + " >/dev/null 2>&1; then " + run + " || test $? -ne 5 || exit 1; fi"
}

// findHookBlocks returns the blocks of a hook. A block without an end is a fault that is Broken.
func findHookBlocks(src []byte) ([]block, error) {
	all, err := hookMarks.find(src)
	if err != nil {
		return nil, fault.New(fault.Broken, "the block of sdd that begins in line %d has no end", fault.Of(err).Line).
			With("delete its lines by hand and run sdd hooks install")
	}
	return all, nil
}

// programOf is the word of the shell that a block calls, "" when it cannot be read.
func programOf(src []byte, b block) string {
	for line := range strings.Lines(string(src[b.start:b.end])) {
		if call, ok := strings.CutPrefix(line, "if command -v "); ok {
			_, rest := shellWord(strings.TrimRight(call, "\r\n"))
			return strings.TrimSuffix(strings.TrimRight(call, "\r\n"), rest)
		}
	}
	return ""
}

// hookBlockText returns a block, with its line end.
func hookBlockText(made string, lines []string) string {
	return hookMarks.first + made + "\n" + strings.Join(lines, "\n") + "\n" + hookMarks.last + "\n"
}

// withHookBlock returns a hook with the block, which replaces an existing one.
func withHookBlock(src []byte, lines []string) ([]byte, error) {
	blocks, err := findHookBlocks(src)
	if err != nil {
		return nil, err
	}
	if len(blocks) == 1 {
		b := blocks[0]
		text := hookBlockText(b.made, lines)
		now := strings.ReplaceAll(string(src[b.start:b.end]), "\r\n", "\n") // git may have changed its line ends
		if strings.TrimSuffix(now, "\n") == strings.TrimSuffix(text, "\n") {
			return src, nil
		}
		return replaceBlock(src, b, text), nil
	}
	if src, err = withoutHookBlocks(src); err != nil {
		return nil, err
	}
	text, at := hookBlockText("", lines), 0
	if bytes.HasPrefix(src, []byte("#!")) {
		if at = lineAfter(src, 0); src[at-1] != '\n' {
			text = "\n" + strings.TrimSuffix(text, "\n")
		}
	}
	return slices.Concat(src[:at], []byte(text), src[at:]), nil
}

// withoutHookBlocks returns a hook without its blocks.
func withoutHookBlocks(src []byte) ([]byte, error) {
	blocks, err := findHookBlocks(src)
	if err != nil {
		return nil, err
	}
	for _, b := range slices.Backward(blocks) {
		before := src[:b.start]
		if src[b.end-1] != '\n' {
			before = bytes.TrimSuffix(before, []byte("\n")) // it was added with the block
		}
		src = slices.Concat(before, src[b.end:])
	}
	return src, nil
}

// newHook returns a new file for a block. folders is the number of folders that are made for the file.
func newHook(lines []string, folders int) []byte {
	made := hookMade
	if folders > 0 {
		made += fmt.Sprintf(hookFolders, folders)
	}
	return []byte(hookShell + hookBlockText(made, lines))
}

// madeFor reports whether a hook was made for its block and has no other lines, and how many folders were made.
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
var shells = strings.Fields("sh bash dash ash ksh ksh93 mksh zsh yash")

// interpreter returns the program that runs a script, and whether it is a shell that understands a block. git runs a script without
// an interpreter by sh.
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
	return name, slices.Contains(shells, name)
}

// scriptName is the last part of a path, of Windows too, without .exe.
func scriptName(p string) string {
	return strings.TrimSuffix(path.Base(strings.ReplaceAll(p, `\`, "/")), ".exe")
}
