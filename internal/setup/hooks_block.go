package setup

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
)

// The block is at the top of a hook: any exit of the script comes after it. Its first line says whether the file was made for it.

var hookMarks = marks{"# >>> sdd hook: put in by sdd hooks install, taken out by sdd hooks uninstall", "# <<< sdd hook",
	"sdd hooks install"}

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

// hookLines returns the lines of a hook for sh; program is a word of the shell. Only findings that are errors stop a commit.
func hookLines(name, program string) []string {
	found, run := "if command -v "+program+" >/dev/null 2>&1; then", "  "+program+" "+hookCommand(name)
	if name != "pre-commit" {
		return []string{found, run + inBackground, "fi"}
	}
	return []string{
		found, run + " || test $? -ne 5 || exit 1",
		"else", "  echo 'sdd was not found: records of .sdd are committed unchecked' >&2", "fi",
	}
}

// hookLine is hookLines in one line, for files that are not scripts.
func hookLine(name, program string) string {
	lines := hookLines(name, program)
	if name == "pre-commit" {
		return lines[0] + lines[1][1:] + "; fi"
	}
	return lines[0] + lines[1][1:] + " fi"
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

// madeWith is the rest of the block's first line in a file that is made for it. folders are made for the file.
func madeWith(folders int) string {
	if folders == 0 {
		return hookMade
	}
	return hookMade + fmt.Sprintf(hookFolders, folders)
}

// madeFor reports whether a hook was made for its block and has no other lines, and how many folders were made.
func madeFor(src []byte) (file bool, folders int) {
	blocks, err := hookMarks.find(src)
	if err != nil || len(blocks) != 1 {
		return false, 0
	}
	more, ok := strings.CutPrefix(blocks[0].made, hookMade)
	if !ok {
		return false, 0
	}
	fmt.Sscanf(more, hookFolders, &folders)
	return strings.ReplaceAll(string(withoutTop(src, blocks)), "\r\n", "\n") == hookShell, folders
}

// shells are the interpreters that understand a block.
var shells = strings.Fields("sh bash dash ash ksh ksh93 mksh zsh yash")

// interpreter returns the program that runs a script, and whether it is a shell that understands a block; sh without one.
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
