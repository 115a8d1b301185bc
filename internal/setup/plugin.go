package setup

import (
	"embed"
	"fmt"
	"io/fs"
	"strings"

	"sdd/internal/agenthook"
	"sdd/internal/prompt"
	"sdd/internal/setup/jsonc"
)

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

// Plugin returns the files of the package that a client installs by one command of its own: the server, the hooks and the commands,
// as Apply writes them one by one. They start the sdd in PATH. about says what the program is.
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
