package setup

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/prompt"
	"sdd/internal/setup/jsonc"
)

// The prompts of the MCP server become files in the folders in which clients keep commands of their users. This program writes the whole
// file, and leaves a file that the user wrote or changed alone.

// commandFolder is the folder in which a client keeps commands.
type commandFolder struct {
	project, user string // its path, as in client
	file          string // the name of a command's file, with %s for the command
	form          func(name string, p prompt.Prompt) string
}

const (
	givenArguments = "$ARGUMENTS" // the client replaces it by the arguments
	givenBraces    = "{{args}}"
	givenBehind    = "what I wrote behind its name" // the client replaces nothing
)

// frontMatter is a block of YAML with those lines before a text.
func frontMatter(text string, lines ...string) string {
	return "---\n" + strings.Join(lines, "\n") + "\n---\n\n" + text
}

func description(p prompt.Prompt) string { return "description: " + jsonc.Quote(p.Description) }

// hint shows the arguments of a command.
func hint(p prompt.Prompt) string {
	var parts []string
	for _, a := range p.Arguments {
		if a.Required {
			parts = append(parts, "<"+a.Name+">")
		} else {
			parts = append(parts, "["+a.Name+"]")
		}
	}
	return "argument-hint: " + jsonc.Quote(strings.Join(parts, " "))
}

// byHandOnly keeps a client from running a command that the user did not ask for.
const byHandOnly = "disable-model-invocation: true"

func claudeCommand(_ string, p prompt.Prompt) string {
	return frontMatter(p.File(givenArguments), description(p), hint(p), byHandOnly)
}

func opencodeCommand(_ string, p prompt.Prompt) string {
	return frontMatter(p.File(givenArguments), description(p))
}

func windsurfCommand(_ string, p prompt.Prompt) string {
	return frontMatter(p.File(givenBehind), description(p))
}

// cursorCommand has no front matter: Cursor passes on the whole file.
func cursorCommand(_ string, p prompt.Prompt) string { return p.File(givenBehind) }

// skill is a command of clients that follow agentskills.io. Their model may choose it by its description.
func skill(name string, p prompt.Prompt) string {
	about := p.Description + ". Only when the user asks for " + name + "."
	return frontMatter(p.File(givenBehind), "name: "+name, "description: "+jsonc.Quote(about), hint(p), byHandOnly)
}

func geminiCommand(_ string, p prompt.Prompt) string {
	return "description = " + jsonc.Quote(p.Description) + "\nprompt = '''\n" + p.File(givenBraces) + "'''\n"
}

// commandName is the name of a prompt among the commands of other programs.
func commandName(p prompt.Prompt) string { return driverName + "-" + p.Name }

// commandFile is a command's file and its text.
type commandFile struct{ path, text string }

// commandFiles returns the files of a scope, by name.
func (c *client) commandFiles(s Surroundings, scope Scope, root string) []commandFile {
	if c.commands == nil {
		return nil
	}
	dir := s.at(c.commands.user)
	if scope == ProjectScope {
		dir = filepath.Join(root, filepath.FromSlash(c.commands.project))
	}
	var out []commandFile
	for _, p := range prompt.All() {
		name := commandName(p)
		file := filepath.FromSlash(fmt.Sprintf(c.commands.file, name))
		out = append(out, commandFile{filepath.Join(dir, file), c.commands.form(name, p)})
	}
	slices.SortFunc(out, func(a, b commandFile) int { return strings.Compare(a.path, b.path) })
	return out
}

// addCommands writes the commands of a client.
func (w *worker) addCommands(c *client, scope Scope, root string) {
	files := c.commandFiles(w.s, scope, root)
	if files == nil {
		w.report(step{Change: Change{For: c.id, Scope: scope, State: Unsupported,
			Text: c.name + " reads no files of commands; it offers the prompts of the server itself"}})
	}
	for _, file := range files {
		w.run(func() step { return w.s.addFile(c.id, scope, root, file) })
	}
}

// addFile plans a file that this program writes as a whole, for a client or an editor.
func (s Surroundings) addFile(who string, scope Scope, root string, file commandFile) step {
	st, err := s.start(who, scope, root, file.path)
	if err != nil {
		return st.left(err)
	}
	n := s.notes().read(st.file.target)
	st.State, st.noted, st.exists = Unchanged, n, true
	text := []byte(file.text)
	same := bytes.Equal(st.file.src, text)
	switch {
	case !st.file.exists:
		st.changes(Added, text, true)
	case same && (n == nil || slices.Contains(n.Users, st.For)):
		return st
	case same:
		st.keep = true
	case n == nil:
		st.State, st.Text, st.Fix = ByHand, notOurs, "take it away if sdd setup is to write it"
		return st
	case sumOf(st.file.src) != n.Sum:
		st.State, st.Text, st.Fix = ByHand, changedSince, "take it away if sdd setup is to write it anew"
		return st
	default:
		st.changes(Updated, text, true)
	}
	if n == nil {
		n = &note{File: st.file.target, Path: st.file.path, Made: true, Command: true}
		if scope == ProjectScope {
			n.Root = root
		}
	}
	st.note = n.with(st.For)
	st.note.Sum = sumOf(text)
	return st
}

const (
	notOurs      = "a file of that name is there, which sdd setup did not write on this machine"
	changedSince = "somebody changed it since sdd setup wrote it"
)

// removeCommands removes the commands of a client, including those of earlier versions.
func (w *worker) removeCommands(c *client, scope Scope, root string) {
	s := w.s
	for _, n := range s.notes().all() {
		if n.Command && n.of(c.id, scope, root) {
			w.run(func() step { return w.withdraw(n, c.id, scope) })
		}
	}
	for _, file := range c.commandFiles(s, scope, root) {
		st, err := s.start(c.id, scope, root, file.path)
		if err != nil || !st.file.exists || s.notes().read(st.file.target) != nil {
			continue
		}
		if slices.ContainsFunc(w.done, func(d Change) bool { return d.File == st.File }) {
			continue // reported already
		}
		st.State, st.Text, st.Fix = ByHand, notOurs, "take it away if you want it gone"
		w.report(st)
	}
}

// commands reports the clients with commands of another version of this program.
func (c *Checkup) commands(s Surroundings, root string) {
	reported := map[string]bool{} // two clients may read one file
	for _, k := range clients {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			old := 0
			for _, file := range k.commandFiles(s, scope, root) {
				st, err := s.start(k.id, scope, root, file.path)
				if err != nil || !st.file.exists || reported[st.file.target] {
					continue
				}
				n := s.notes().read(st.file.target)
				if n != nil && slices.Contains(n.Users, k.id) && sumOf(st.file.src) == n.Sum && string(st.file.src) != file.text {
					old++
					reported[st.file.target] = true
				}
			}
			if old > 0 {
				c.ok("%s: %d of its commands (%s) are of another version (sdd setup %s --%s --commands writes them anew)",
					k.name, old, scope, k.id, scope)
			}
		}
	}
}
