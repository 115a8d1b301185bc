package setup

import (
	"fmt"

	"sdd/internal/agenthook"
	"sdd/internal/prompt"
	"sdd/internal/setup/jsonc"
)

// PluginFile is a file of a package for a client, with its path in the package.
type PluginFile struct{ Path, Text string }

// PluginClients are the clients that Plugin makes packages for.
var PluginClients = []string{"claude-code", "gemini-cli", "codex", "cursor"}

// Plugin returns the files of the package that a client installs by one command of its own: the server, the hooks and the commands,
// as Run writes them one by one. They start the sdd in PATH. about says what the program is.
//
// The forms are those of Claude Code's plugins, whose folder is its own marketplace, of Gemini CLI's extensions, of Codex's plugins, which
// are a folder of a marketplace, and of Cursor's, which need none.
func Plugin(client, version, about string) ([]PluginFile, error) {
	server := []jsonc.Member{{Name: "command", Value: driverName}, {Name: "args", Value: []string{"mcp"}}}
	servers := jsonc.Member{Name: "mcpServers", Value: []jsonc.Member{{Name: driverName, Value: server}}}
	head := []jsonc.Member{{Name: "name", Value: driverName}, {Name: "version", Value: version}, {Name: "description", Value: about}}
	var out []PluginFile
	put := func(path string, members []jsonc.Member) (err error) {
		var text []byte
		for _, m := range members {
			if text, err = jsonc.Set(text, m.Value, m.Name); err != nil {
				return err
			}
		}
		out = append(out, PluginFile{path, string(text)})
		return nil
	}
	hooks := agenthook.Named(client)
	var err error
	command, form, name, root := "", claudeCommand, func(p prompt.Prompt) string { return p.Name }, ""
	author := jsonc.Member{Name: "author", Value: []jsonc.Member{{Name: "name", Value: driverName}}}
	switch client {
	case "claude-code":
		owner := jsonc.Member{Name: "owner", Value: []jsonc.Member{{Name: "name", Value: driverName}}}
		listed := []jsonc.Member{{Name: "name", Value: driverName}, {Name: "source", Value: "./"}, {Name: "description", Value: about}}
		plugins := jsonc.Member{Name: "plugins", Value: []any{listed}}
		command = "commands/%s.md"
		err = put(".claude-plugin/plugin.json", append(head, author))
		if err == nil {
			err = put(".claude-plugin/marketplace.json", []jsonc.Member{head[0], head[2], owner, plugins})
		}
		if err == nil {
			err = put(".mcp.json", []jsonc.Member{servers})
		}
	case "gemini-cli":
		command, form = "commands/sdd/%s.toml", geminiCommand
		err = put("gemini-extension.json", append(head, servers))
	case "codex":
		root, command, form, name = "plugins/sdd/", "skills/%s/SKILL.md", skill, commandName
		about := []jsonc.Member{{Name: "displayName", Value: driverName}, {Name: "shortDescription", Value: about}, {Name: "category", Value: "Coding"}}
		listed := []jsonc.Member{
			head[0], {Name: "source", Value: []jsonc.Member{{Name: "source", Value: "local"}, {Name: "path", Value: "./plugins/sdd"}}},
			{Name: "policy", Value: []jsonc.Member{{Name: "installation", Value: "AVAILABLE"}, {Name: "authentication", Value: "ON_INSTALL"}}},
			{Name: "category", Value: "Coding"},
		}
		err = put(".agents/plugins/marketplace.json", []jsonc.Member{head[0], {Name: "plugins", Value: []any{listed}}})
		if err == nil {
			err = put(root+".codex-plugin/plugin.json", append(head, author, jsonc.Member{Name: "skills", Value: "./skills/"},
				jsonc.Member{Name: "mcpServers", Value: "./.mcp.json"}, jsonc.Member{Name: "hooks", Value: "./hooks/hooks.json"},
				jsonc.Member{Name: "interface", Value: about}))
		}
		if err == nil {
			err = put(root+".mcp.json", []jsonc.Member{servers})
		}
	case "cursor":
		command, name = "commands/%s.md", commandName
		form = func(name string, p prompt.Prompt) string {
			return frontMatter(p.File(givenBehind), "name: "+name, description(p)) // of a plugin Cursor reads it
		}
		err = put(".cursor-plugin/plugin.json", append(head, author))
		if err == nil {
			err = put("mcp.json", []jsonc.Member{servers})
		}
	default:
		return nil, fmt.Errorf("there is no package for %q", client)
	}
	if err != nil {
		return nil, err
	}
	place := hookPlace{hooks, Surroundings{}.hookLine(driverName, client)}
	text, err := place.set(nil, nil)
	if err != nil {
		return nil, err
	}
	out = append(out, PluginFile{root + "hooks/hooks.json", string(text)})
	for _, p := range prompt.All() {
		out = append(out, PluginFile{root + fmt.Sprintf(command, name(p)), form(name(p), p)})
	}
	return out, nil
}
