package setup

import (
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/agenthook"
	"sdd/internal/prompt"
	"sdd/internal/setup/jsonc"
)

// The prompts become files in the folders of clients' commands. A file that the user wrote or changed is left alone.

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

func frontMatter(text string, lines ...string) string {
	return "---\n" + strings.Join(lines, "\n") + "\n---\n\n" + text
}

func description(p prompt.Prompt) string { return "description: " + jsonc.Quote(p.Description) }

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

// described is a command with its description alone.
func described(given string) func(string, prompt.Prompt) string {
	return func(_ string, p prompt.Prompt) string { return frontMatter(p.File(given), description(p)) }
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

// commandPieces are the commands of a client in a scope, by file. Without a folder for them the only piece has no file.
func (s Surroundings) commandPieces(c *client, scope Scope, root string) (out []piece) {
	if c.commands == nil {
		return []piece{{user: c.id, scope: scope, root: root, none: Change{State: Unsupported,
			Text: c.name + " reads no files of commands; it offers the prompts of the server itself"}}}
	}
	dir := s.at(c.commands.user)
	if scope == ProjectScope {
		dir = filepath.Join(root, filepath.FromSlash(c.commands.project))
	}
	for _, p := range prompt.All() {
		name := commandName(p)
		file := filepath.FromSlash(fmt.Sprintf(c.commands.file, name))
		out = append(out, piece{user: c.id, scope: scope, root: root, path: filepath.Join(dir, file), text: c.commands.form(name, p)})
	}
	slices.SortFunc(out, func(a, b piece) int { return strings.Compare(a.path, b.path) })
	return out
}

// commands reports the clients with commands of another version of this program.
func (c *Checkup) commands(s Surroundings, root string) {
	reported := map[string]bool{} // two clients may read one file
	for _, k := range clients {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			old := 0
			for _, p := range s.commandPieces(k, scope, root) {
				st := s.plan(p)
				if st.State == Updated && slices.Contains(st.noted.Users, k.id) && !reported[st.file.target] {
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

// PluginFile is a file of a package for a client, with its path in the package.
type PluginFile struct{ Path, Text string }

// PluginClients are the clients that Plugin makes packages for.
var PluginClients = []string{"claude-code", "gemini-cli", "codex", "cursor"}

// pluginFiles are the manifests and the entries of the server: of Claude Code's plugins, whose folder is its own marketplace, of Gemini
// CLI's extensions, of Codex's plugins, which are a folder of a marketplace, and of Cursor's, which need none.
//
//go:embed all:plugin
var pluginFiles embed.FS

// filled returns the files of an embedded folder, by path, with text in place of its marks.
func filled(files embed.FS, folder string, marks *strings.Replacer) (out []PluginFile, err error) {
	err = fs.WalkDir(files, folder, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := files.ReadFile(path)
		out = append(out, PluginFile{strings.TrimPrefix(path, folder+"/"), marks.Replace(string(text))})
		return err
	})
	return out, err
}

// Plugin returns the files of the package that a client installs by one command: server, hooks and commands. They start the sdd in PATH.
func Plugin(client, version, about string) ([]PluginFile, error) {
	root, command, form := "", "commands/%s.md", claudeCommand
	name := func(p prompt.Prompt) string { return p.Name }
	switch client {
	case "gemini-cli":
		command, form = "commands/sdd/%s.toml", geminiCommand
	case "codex":
		root, command, form, name = "plugins/sdd/", "skills/%s/SKILL.md", skill, commandName
	case "cursor":
		name, form = commandName, func(name string, p prompt.Prompt) string {
			return frontMatter(p.File(givenBehind), "name: "+name, description(p)) // of a plugin Cursor reads it
		}
	}
	out, err := filled(pluginFiles, "plugin/"+client, strings.NewReplacer(`"VERSION"`, jsonc.Quote(version), `"ABOUT"`, jsonc.Quote(about)))
	if err != nil {
		return nil, fmt.Errorf("there is no package for %q: %w", client, err)
	}
	hooks, err := hookPlace{agenthook.Named(client), Surroundings{}.hookLine(driverName, client)}.set(nil, nil)
	if err != nil {
		return nil, err
	}
	out = append(out, PluginFile{root + "hooks/hooks.json", string(hooks)})
	for _, p := range prompt.All() {
		out = append(out, PluginFile{root + fmt.Sprintf(command, name(p)), form(name(p), p)})
	}
	return out, nil
}
