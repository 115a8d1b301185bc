package setup

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// Scope is the owner of a client's file.
type Scope string

const (
	UserScope    Scope = "user"    // of this user, for all projects
	ProjectScope Scope = "project" // of the project, for everybody who works on it
)

// client is a program that starts MCP servers, and its configuration. Surroundings.at expands the paths.
type client struct {
	id, name string
	project  string   // its file in a project, "" when it reads none
	user     string   // its file in the home folder
	keys     []string // the path of the servers in either file
	entry    entryForm
	shared   *entryForm // in the project's file, when it differs
	signs    []string   // files and folders that show that it is installed
	programs []string
	// The client starts a server of the user's file in the project's folder, or
	variable string // in another folder, and this variable is the project's folder
	pinned   bool   // in another folder, and has no such variable
	asks     string // the condition for starting a server of a project's file, "" for none
	commands *commandFolder
}

type entryForm struct {
	kind   string // the value of type, "" for none
	joined bool   // the command and its arguments are one list
	more   []jsonc.Member
}

func (f entryForm) of(command string, args []string) (entry []jsonc.Member) {
	if f.kind != "" {
		entry = append(entry, jsonc.Member{Name: "type", Value: f.kind})
	}
	if f.joined {
		entry = append(entry, jsonc.Member{Name: "command", Value: append([]string{command}, args...)})
	} else {
		entry = append(entry, jsonc.Member{Name: "command", Value: command}, jsonc.Member{Name: "args", Value: args})
	}
	return append(entry, f.more...)
}

var (
	servers   = []string{"mcpServers"}
	typed     = entryForm{kind: "stdio"}
	opencode2 = entryForm{kind: "local", joined: true} // of opencode from version 2 on
)

// clients are the supported clients, in the order of messages.
var clients = []*client{
	{
		id: "claude-code", name: "Claude Code", programs: []string{"claude"}, keys: servers, entry: typed,
		project: ".mcp.json", user: "CLAUDE_CONFIG_DIR:/.claude.json", signs: []string{"~/.claude.json", "~/.claude"},
		asks:     "Claude Code asks each of you once whether to start it",
		commands: &commandFolder{".claude/commands", "CLAUDE_CONFIG_DIR:.claude/commands", "%s.md", claudeCommand},
	},
	{
		id: "claude-desktop", name: "Claude Desktop", keys: servers, pinned: true,
		user: "config:Claude/claude_desktop_config.json", signs: []string{"config:Claude"},
	},
	{
		id: "cursor", name: "Cursor", programs: []string{"cursor", "cursor-agent"}, keys: servers, entry: typed, variable: "${workspaceFolder}",
		project: ".cursor/mcp.json", user: "~/.cursor/mcp.json", signs: []string{"~/.cursor", "config:Cursor"},
		commands: &commandFolder{".cursor/commands", "~/.cursor/commands", "%s.md", cursorCommand},
	},
	{
		id: "vscode", name: "VS Code", programs: []string{"code"}, keys: []string{"servers"}, entry: typed, variable: "${workspaceFolder}",
		project: ".vscode/mcp.json", user: "config:Code/User/mcp.json", signs: []string{"config:Code/User"}, // of the default profile
		commands: &commandFolder{".github/skills", "~/.copilot/skills", "%s/SKILL.md", skill},
	},
	{
		id: "copilot-cli", name: "Copilot CLI", programs: []string{"copilot"}, keys: servers,
		entry:   entryForm{kind: "local", more: []jsonc.Member{{Name: "tools", Value: []string{"*"}}}},
		shared:  &typed, // the file is also Claude Code's
		project: ".mcp.json", user: "COPILOT_HOME:.copilot/mcp-config.json", signs: []string{"COPILOT_HOME:.copilot"},
		commands: &commandFolder{".github/skills", "COPILOT_HOME:.copilot/skills", "%s/SKILL.md", skill},
	},
	{
		id: "codex", name: "Codex", programs: []string{"codex"}, keys: []string{"mcp_servers"},
		project: ".codex/config.toml", user: "CODEX_HOME:.codex/config.toml", signs: []string{"CODEX_HOME:.codex"},
		asks:     "Codex reads it in a folder that it trusts",
		commands: &commandFolder{".agents/skills", "~/.agents/skills", "%s/SKILL.md", skill},
	},
	{
		id: "gemini-cli", name: "Gemini CLI", programs: []string{"gemini"}, keys: servers,
		project: ".gemini/settings.json", user: "~/.gemini/settings.json", signs: []string{"~/.gemini"},
		commands: &commandFolder{".gemini/commands", "~/.gemini/commands", "%s.toml", geminiCommand},
	},
	{
		id: "opencode", name: "opencode", programs: []string{"opencode"}, keys: []string{"mcp"},
		entry:   entryForm{kind: "local", joined: true, more: []jsonc.Member{{Name: "enabled", Value: true}}},
		project: "opencode.json", user: "xdg:opencode/opencode.json", signs: []string{"xdg:opencode"},
		commands: &commandFolder{".opencode/commands", "xdg:opencode/commands", "%s.md", described(givenArguments)},
	},
	{
		id: "zed", name: "Zed", programs: []string{"zed", "zeditor"}, keys: []string{"context_servers"},
		project: ".zed/settings.json", user: "zed:settings.json", signs: []string{"zed:"},
	},
	{
		id: "windsurf", name: "Windsurf", programs: []string{"windsurf"}, keys: servers, pinned: true,
		user: "~/.codeium/windsurf/mcp_config.json", signs: []string{"~/.codeium/windsurf"},
		commands: &commandFolder{".windsurf/workflows", "~/.codeium/windsurf/global_workflows", "%s.md", described(givenBehind)},
	},
}

// at expands the start of a client's path: "~" for home, "config:", "xdg:", "zed:", and "NAME:folder" for the folder in NAME or in home.
func (s Surroundings) at(path string) string {
	folder, rest, _ := strings.Cut(path, ":")
	switch {
	case strings.HasPrefix(path, "~/"):
		return s.inHome(path[2:])
	case folder == "xdg":
		return filepath.Join(s.xdg(), rest)
	case folder == "zed" && s.OS != "windows":
		return filepath.Join(s.xdg(), "zed", rest)
	case folder == "zed":
		return filepath.Join(s.config(), "Zed", rest)
	case folder == "config":
		return filepath.Join(s.config(), rest)
	}
	other, rest, _ := strings.Cut(rest, "/")
	return filepath.Join(s.folder(folder, s.inHome(other)), rest)
}

func (c *client) key() string { return c.id }

func ClientNames() []string { return namesOf(clients) }

func namesOf[T interface{ key() string }](all []T) (names []string) {
	for _, one := range all {
		names = append(names, one.key())
	}
	return names
}

// named returns the clients or editors of those names, each once and in the order of all.
func named[T interface{ key() string }](what, flag string, all []T, names []string) ([]T, error) {
	known := namesOf(all)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fault.New(fault.Invalid, "the %s %q is not known", what, name).For(what).
				With(cmp.Or(meant(flag, name, known), "known are "+strings.Join(known, ", ")))
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(one T) bool { return !slices.Contains(names, one.key()) }), nil
}

// meant returns a hint at similar names, "" for none: without a flag also editors and clients with hooks only.
func meant(flag, name string, known []string) string {
	lists := []struct {
		flag  string
		names []string
	}{{flag, known}, {"--editor ", EditorNames()}, {"--hooks ", HookClientNames()}}
	if flag != "" {
		lists = lists[:1]
	}
	for _, list := range lists {
		var near []string
		for _, k := range list.names {
			first, _, _ := strings.Cut(k, "-")
			if name != "" && strings.HasPrefix(k, strings.ToLower(name)) || fault.Near(name, k) || fault.Near(name, first) {
				near = append(near, "sdd setup "+list.flag+k)
			}
		}
		if len(near) > 0 {
			return "did you mean: " + strings.Join(near, ", ")
		}
	}
	return ""
}

// present reports whether a client is on the machine: one of its files or folders exists, or its program is on the PATH.
func (c *client) present(s Surroundings) bool {
	return slices.ContainsFunc(append(slices.Clone(c.signs), c.user), func(sign string) bool { return exists(s.at(sign)) }) ||
		slices.ContainsFunc(c.programs, func(p string) bool {
			_, err := s.LookPath(p)
			return err == nil
		})
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func (c *client) usedIn(root string) bool {
	if c.project == "" {
		return false
	}
	files := c.variants(filepath.Join(root, filepath.FromSlash(c.project)))
	if dir := path.Dir(c.project); dir != "." {
		files = append(files, filepath.Join(root, dir))
	}
	return slices.ContainsFunc(files, exists)
}

// variants are the paths at which a client looks for its file; the first is for a new file.
func (c *client) variants(file string) []string {
	if c.id != "opencode" {
		return []string{file}
	}
	dir, name := filepath.Split(file)
	return []string{file, file + "c", filepath.Join(dir, ".opencode", name), filepath.Join(dir, ".opencode", name+"c")}
}

// file returns the client's file of a scope, "" when it has none.
func (c *client) file(s Surroundings, scope Scope, root string) string {
	all := c.variants(s.at(c.user))
	all = all[:min(2, len(all))]
	if scope == ProjectScope {
		if c.project == "" {
			return ""
		}
		all = c.variants(filepath.Join(root, filepath.FromSlash(c.project)))
	}
	for _, file := range all {
		if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
			return file
		}
	}
	return all[0]
}

func (s Surroundings) serverPiece(c *client, scope Scope, root string) piece {
	p := piece{user: c.id, scope: scope, root: root, path: c.file(s, scope, root), thing: "an entry of that name",
		none: Change{State: Unsupported, Text: c.name + " reads no file of a project", Fix: "sdd setup " + c.id + " --user"}}
	program, args := c.command(s, scope, root)
	if program == "" {
		p.err = errNoPath()
	}
	p.in = func(src []byte) (place, []jsonc.Member) {
		at, form := c.place(s, scope, src)
		return at, form.of(program, args)
	}
	p.words = func(st *step) {
		if st.State == Added && scope == ProjectScope {
			st.Text = c.asks
		}
		if c.pinned && (st.State == Added || st.State == Updated || st.State == Unchanged) {
			st.Text = strings.TrimPrefix(st.Text+"; it knows of no project, so it gets this one: "+s.shown("", root), "; ")
		}
	}
	return p
}

// errNoPath is the fault of a program that only its path could name.
func errNoPath() error {
	return fault.New(fault.Unavailable, "this program has no path that stays: `go run` removes it when it ends").
		With("go install ./cmd/sdd, then run sdd setup")
}

// command returns the command line for the client. A file of the project has only the program's name, since its path differs by machine.
func (c *client) command(s Surroundings, scope Scope, root string) (program string, args []string) {
	program = driverName
	if scope == UserScope {
		program = s.Program
		switch {
		case c.pinned:
			args = []string{"--dir", root}
		case c.variable != "":
			args = []string{"--dir", c.variable}
		}
	}
	return program, append(args, "mcp")
}

// jsonPlace is a member of a JSON file.
type jsonPlace struct{ path []string }

func (p jsonPlace) get(src []byte) (any, int, bool, error) { return jsonc.Get(src, p.path...) }

// set changes only the keys of an existing entry: the client may have added others.
func (p jsonPlace) set(src []byte, entry []jsonc.Member) ([]byte, error) {
	now, _, ok, err := p.get(src)
	if err != nil {
		return nil, err
	}
	if _, isObject := now.(map[string]any); !ok || !isObject {
		return jsonc.Set(src, entry, p.path...)
	}
	for _, m := range entry {
		if src, err = jsonc.Set(src, m.Value, append(slices.Clone(p.path), m.Name)...); err != nil {
			return nil, err
		}
	}
	return src, nil
}

func (p jsonPlace) remove(src []byte, prune int) ([]byte, bool, error) {
	return jsonc.Remove(src, prune, p.path...)
}

// kept counts the existing objects above the member.
func (p jsonPlace) kept(src []byte) (n int) {
	for ; n < len(p.path)-1; n++ {
		if _, _, ok, err := jsonc.Get(src, p.path[:n+1]...); !ok || err != nil {
			break
		}
	}
	return n
}

func (c *client) at(path ...string) place {
	if c.id == "codex" {
		return tomlTable{path}
	}
	return jsonPlace{path}
}

// serversIn returns the path of the servers in a file with those bytes, and the form of an entry.
func (c *client) serversIn(s Surroundings, scope Scope, src []byte) ([]string, entryForm) {
	switch {
	case c.id == "opencode" && c.second(s, src):
		return []string{"mcp", "servers"}, opencode2
	case scope == ProjectScope && c.shared != nil:
		return c.keys, *c.shared
	}
	return c.keys, c.entry
}

// place returns the place of this program's entry in a file with those bytes, and its form.
func (c *client) place(s Surroundings, scope Scope, src []byte) (place, entryForm) {
	path, form := c.serversIn(s, scope, src)
	return c.at(append(slices.Clone(path), driverName)...), form
}

// second reports whether a file of opencode is one of version 2, with servers one level deeper; without servers the program tells.
func (c *client) second(s Surroundings, src []byte) bool {
	mcp, _, ok, err := jsonc.Get(src, "mcp")
	if all, isObject := mcp.(map[string]any); err == nil && ok && isObject && len(all) > 0 {
		inner, has := all["servers"].(map[string]any)
		return has && inner["command"] == nil
	}
	return strings.HasPrefix(strings.TrimPrefix(s.versionOf(c.programs[0]), "v"), "2.")
}

func sameEntry(now any, entry []jsonc.Member) bool {
	all, ok := now.(map[string]any)
	if !ok {
		return false
	}
	for _, m := range entry {
		now := all[m.Name]
		if list, ok := now.([]any); ok {
			now = rag.Texts(list)
		}
		if !reflect.DeepEqual(now, m.Value) {
			return false
		}
	}
	return true
}

// startOf returns the command line of an entry, nil for none.
func startOf(entry any) []string {
	if server, _ := rag.Entry("", entry); server.Command != "" {
		return start(server)
	}
	return nil
}

func start(s rag.Server) []string { return append([]string{s.Command}, s.Args...) }

// serves reports whether the command line is this program as a server, by its name.
func serves(line []string) bool {
	return len(line) > 1 && scriptName(line[0]) == driverName && slices.Contains(line[1:], "mcp")
}
