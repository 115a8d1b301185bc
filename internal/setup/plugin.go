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
var PluginClients = []string{"claude-code", "gemini-cli"}

// Plugin returns the files of the package that a client installs by one command of its own: the server, the hooks and the commands,
// as Run writes them one by one. They start the sdd in PATH. about says what the program is.
//
// The forms are those of Claude Code's plugins, whose folder is its own marketplace, and of Gemini CLI's extensions.
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
	command, form := "", claudeCommand
	switch client {
	case "claude-code":
		owner := jsonc.Member{Name: "owner", Value: []jsonc.Member{{Name: "name", Value: driverName}}}
		listed := []jsonc.Member{{Name: "name", Value: driverName}, {Name: "source", Value: "./"}, {Name: "description", Value: about}}
		plugins := jsonc.Member{Name: "plugins", Value: []any{listed}}
		command = "commands/%s.md"
		err = put(".claude-plugin/plugin.json", append(head, jsonc.Member{Name: "author", Value: []jsonc.Member{{Name: "name", Value: driverName}}}))
		if err == nil {
			err = put(".claude-plugin/marketplace.json", []jsonc.Member{head[0], head[2], owner, plugins})
		}
		if err == nil {
			err = put(".mcp.json", []jsonc.Member{servers})
		}
	case "gemini-cli":
		command, form = "commands/sdd/%s.toml", geminiCommand
		err = put("gemini-extension.json", append(head, servers))
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
	out = append(out, PluginFile{"hooks/hooks.json", string(text)})
	for _, p := range prompt.All() {
		out = append(out, PluginFile{fmt.Sprintf(command, p.Name), form(p.Name, p)})
	}
	return out, nil
}
