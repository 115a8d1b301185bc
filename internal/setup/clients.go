package setup

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/setup/jsonc"
)

// Scope says whose file of a client is meant.
type Scope string

const (
	UserScope    Scope = "user"    // of this user, for all projects
	ProjectScope Scope = "project" // of the project, for all who work on it
)

// client is a program that starts MCP servers, and how it is told to.
type client struct {
	id, name string
	project  string                       // its file in a project, "" where it reads none
	user     func(s Surroundings) string  // its file in the home folder
	keys     []string                     // the path of the servers in either file
	form     func(scope Scope) serverForm // how it writes a server
	signs    func(s Surroundings) []string
	programs []string
	// Where it starts a server of the user's file: in the project's folder, or
	variable string // elsewhere, but this variable of it stands for that folder
	pinned   bool   // elsewhere, and it knows of no project
	asks     string // what has to happen before it starts a server of a project's file, "" when nothing has to
}

// serverForm makes an entry of a command line.
type serverForm func(command string, args []string) []jsonc.Member

func plainForm(command string, args []string) []jsonc.Member {
	return []jsonc.Member{{Name: "command", Value: command}, {Name: "args", Value: args}}
}

func typedForm(command string, args []string) []jsonc.Member {
	return append([]jsonc.Member{{Name: "type", Value: "stdio"}}, plainForm(command, args)...)
}

func copilotForm(command string, args []string) []jsonc.Member {
	return slices.Concat([]jsonc.Member{{Name: "type", Value: "local"}}, plainForm(command, args), []jsonc.Member{{Name: "tools", Value: []string{"*"}}})
}

func opencodeForm2(command string, args []string) []jsonc.Member {
	return []jsonc.Member{{Name: "type", Value: "local"}, {Name: "command", Value: append([]string{command}, args...)}}
}

func opencodeForm1(command string, args []string) []jsonc.Member {
	return append(opencodeForm2(command, args), jsonc.Member{Name: "enabled", Value: true})
}

func always(f serverForm) func(Scope) serverForm { return func(Scope) serverForm { return f } }

// codeUser is the folder of the default profile of VS Code.
func codeUser(s Surroundings) string { return filepath.Join(s.config(), "Code", "User") }

func claudeDesktop(s Surroundings) string { return filepath.Join(s.config(), "Claude") }

func zedFolder(s Surroundings) string {
	if s.OS == "windows" {
		return filepath.Join(s.config(), "Zed")
	}
	return filepath.Join(s.xdg(), "zed")
}

var servers = []string{"mcpServers"}

// clients are those that can be set up, in the order in which they are told.
var clients = []*client{
	{
		asks: "Claude Code asks each of you once whether to start it",
		id:   "claude-code", name: "Claude Code", project: ".mcp.json", keys: servers, form: always(typedForm), programs: []string{"claude"},
		user: func(s Surroundings) string {
			return filepath.Join(s.folder("CLAUDE_CONFIG_DIR", s.Home), ".claude.json")
		},
		signs: func(s Surroundings) []string { return []string{s.inHome(".claude.json"), s.inHome(".claude")} },
	},
	{
		id: "claude-desktop", name: "Claude Desktop", keys: servers, form: always(plainForm), pinned: true,
		user:  func(s Surroundings) string { return filepath.Join(claudeDesktop(s), "claude_desktop_config.json") },
		signs: func(s Surroundings) []string { return []string{claudeDesktop(s)} },
	},
	{
		id: "cursor", name: "Cursor", project: ".cursor/mcp.json", keys: servers, form: always(typedForm), programs: []string{"cursor", "cursor-agent"},
		user: func(s Surroundings) string { return s.inHome(".cursor", "mcp.json") },
		signs: func(s Surroundings) []string {
			return []string{s.inHome(".cursor"), filepath.Join(s.config(), "Cursor")}
		},
		variable: "${workspaceFolder}",
	},
	{
		id: "vscode", name: "VS Code", project: ".vscode/mcp.json", keys: []string{"servers"}, form: always(typedForm), programs: []string{"code"},
		user:     func(s Surroundings) string { return filepath.Join(codeUser(s), "mcp.json") },
		signs:    func(s Surroundings) []string { return []string{codeUser(s)} },
		variable: "${workspaceFolder}",
	},
	{
		id: "copilot-cli", name: "Copilot CLI", project: ".mcp.json", keys: servers, programs: []string{"copilot"},
		form: func(scope Scope) serverForm {
			if scope == ProjectScope {
				return typedForm // the file is Claude Code's too
			}
			return copilotForm
		},
		user: func(s Surroundings) string {
			return filepath.Join(s.folder("COPILOT_HOME", s.inHome(".copilot")), "mcp-config.json")
		},
		signs: func(s Surroundings) []string { return []string{s.folder("COPILOT_HOME", s.inHome(".copilot"))} },
	},
	{
		asks: "Codex reads it in a folder that it trusts",
		id:   "codex", name: "Codex", project: ".codex/config.toml", keys: []string{"mcp_servers"}, form: always(plainForm), programs: []string{"codex"},
		user: func(s Surroundings) string {
			return filepath.Join(s.folder("CODEX_HOME", s.inHome(".codex")), "config.toml")
		},
		signs: func(s Surroundings) []string { return []string{s.folder("CODEX_HOME", s.inHome(".codex"))} },
	},
	{
		id: "gemini-cli", name: "Gemini CLI", project: ".gemini/settings.json", keys: servers, form: always(plainForm), programs: []string{"gemini"},
		user:  func(s Surroundings) string { return s.inHome(".gemini", "settings.json") },
		signs: func(s Surroundings) []string { return []string{s.inHome(".gemini")} },
	},
	{
		id: "opencode", name: "opencode", project: "opencode.json", keys: []string{"mcp"}, form: always(opencodeForm1), programs: []string{"opencode"},
		user:  func(s Surroundings) string { return filepath.Join(s.xdg(), "opencode", "opencode.json") },
		signs: func(s Surroundings) []string { return []string{filepath.Join(s.xdg(), "opencode")} },
	},
	{
		id: "zed", name: "Zed", project: ".zed/settings.json", keys: []string{"context_servers"}, form: always(plainForm), programs: []string{"zed", "zeditor"},
		user:  func(s Surroundings) string { return filepath.Join(zedFolder(s), "settings.json") },
		signs: func(s Surroundings) []string { return []string{zedFolder(s)} },
	},
	{
		id: "windsurf", name: "Windsurf", keys: servers, form: always(plainForm), programs: []string{"windsurf"}, pinned: true,
		user:  func(s Surroundings) string { return s.inHome(".codeium", "windsurf", "mcp_config.json") },
		signs: func(s Surroundings) []string { return []string{s.inHome(".codeium", "windsurf")} },
	},
}

// ClientNames lists the clients that can be set up.
func ClientNames() []string {
	names := make([]string, len(clients))
	for i, c := range clients {
		names[i] = c.id
	}
	return names
}

// named returns the clients of those names, each once and in their own order.
func named(names []string) ([]*client, error) {
	var out []*client
	for _, name := range names {
		if !slices.Contains(ClientNames(), name) {
			return nil, fault.New(fault.Invalid, "the client %q is not known", name).For("client").With("known are " + strings.Join(ClientNames(), ", "))
		}
	}
	for _, c := range clients {
		if slices.Contains(names, c.id) {
			out = append(out, c)
		}
	}
	return out, nil
}

// present reports whether a client is on the machine: a file or folder of its own is there, or its program on the PATH.
func (c *client) present(s Surroundings) bool {
	for _, sign := range append(c.signs(s), c.user(s)) {
		if _, err := os.Stat(sign); err == nil {
			return true
		}
	}
	for _, p := range c.programs {
		if _, err := s.LookPath(p); err == nil {
			return true
		}
	}
	return false
}

// usedIn reports whether a project has a file of the client, or its folder.
func (c *client) usedIn(root string) bool {
	if c.project == "" {
		return false
	}
	files := c.variants(filepath.Join(root, filepath.FromSlash(c.project)))
	if dir := path.Dir(c.project); dir != "." {
		files = append(files, filepath.Join(root, dir))
	}
	for _, file := range files {
		if _, err := os.Stat(file); err == nil {
			return true
		}
	}
	return false
}

// variants are the names that a client reads its file under; the first is the one to make.
func (c *client) variants(file string) []string {
	if c.id != "opencode" {
		return []string{file}
	}
	dir, name := filepath.Split(file)
	return []string{file, file + "c", filepath.Join(dir, ".opencode", name), filepath.Join(dir, ".opencode", name+"c")}
}

// file returns the client's file of a scope, "" where it has none.
func (c *client) file(s Surroundings, scope Scope, root string) string {
	file := c.user(s)
	if scope == ProjectScope {
		if c.project == "" {
			return ""
		}
		file = filepath.Join(root, filepath.FromSlash(c.project))
	}
	all := c.variants(file)
	if scope == UserScope {
		all = all[:min(2, len(all))]
	}
	for _, other := range all {
		if _, err := os.Lstat(other); !errors.Is(err, fs.ErrNotExist) {
			return other
		}
	}
	return file
}

// command returns what the client is to start. A file of the project names the program only, for every machine has its own path.
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

// place is where the entry lies in a client's file, and how it is written.
type place interface {
	get(src []byte) (value any, line int, ok bool, err error)
	set(src []byte, entry []jsonc.Member) ([]byte, error)
	remove(src []byte, prune int) ([]byte, bool, error)
}

// jsonPlace is a member of a JSON file.
type jsonPlace struct{ path []string }

func (p jsonPlace) get(src []byte) (any, int, bool, error) { return jsonc.Get(src, p.path...) }

// set changes the keys of the entry only, where it is there: a client may have added its own.
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

// place returns where the entry of that name is, or is to be, in a file with those bytes, and its form.
func (c *client) place(s Surroundings, scope Scope, src []byte, name string) (place, serverForm) {
	if c.id == "codex" {
		return tomlTable{append(slices.Clone(c.keys), name)}, c.form(scope)
	}
	if c.id == "opencode" && c.second(s, src) {
		return jsonPlace{[]string{"mcp", "servers", name}}, opencodeForm2
	}
	return jsonPlace{append(slices.Clone(c.keys), name)}, c.form(scope)
}

// second reports whether a file of opencode is one of its version 2, which keeps servers one level deeper. A file that
// has servers says so itself; for any other the installed version is asked.
func (c *client) second(s Surroundings, src []byte) bool {
	mcp, _, ok, err := jsonc.Get(src, "mcp")
	if all, isObject := mcp.(map[string]any); err == nil && ok && isObject && len(all) > 0 {
		inner, has := all["servers"].(map[string]any)
		return has && inner["command"] == nil
	}
	return strings.HasPrefix(strings.TrimPrefix(s.versionOf(c.programs[0]), "v"), "2.")
}

// sameEntry reports whether an entry that was read has all that one is to have.
func sameEntry(now any, entry []jsonc.Member) bool {
	all, ok := now.(map[string]any)
	if !ok {
		return false
	}
	for _, m := range entry {
		want := m.Value
		if list, ok := want.([]string); ok {
			plain := make([]any, len(list))
			for i, s := range list {
				plain[i] = s
			}
			want = plain
		}
		if !reflect.DeepEqual(all[m.Name], want) {
			return false
		}
	}
	return true
}

// server is what a client starts, as an entry says it.
type server struct {
	command  string
	args     []string
	env      map[string]string
	cwd      string
	disabled bool
	remote   remote // asked at an address, and not started
}

// serverOf reads an entry in any client's form; ok is false when it is no command to start. One that is asked at an address
// has that in remote.
func serverOf(entry any) (s server, ok bool) {
	all, _ := entry.(map[string]any)
	texts := func(v any) (out []string) {
		list, _ := v.([]any)
		for _, x := range list {
			text, _ := x.(string)
			out = append(out, text)
		}
		return out
	}
	switch c := all["command"].(type) {
	case string:
		s.command, s.args = c, texts(all["args"])
	case []any:
		if line := texts(c); len(line) > 0 {
			s.command, s.args = line[0], line[1:]
		}
	}
	for _, key := range []string{"env", "environment"} {
		env, _ := all[key].(map[string]any)
		for name, value := range env {
			if s.env == nil {
				s.env = map[string]string{}
			}
			s.env[name], _ = value.(string)
		}
	}
	s.cwd, _ = all["cwd"].(string)
	s.remote = remoteOf(all)
	off, _ := all["disabled"].(bool)
	on, set := all["enabled"].(bool)
	s.disabled = off || set && !on
	return s, s.command != ""
}

// startOf returns the command line of an entry, nil when it has none.
func startOf(entry any) []string {
	srv, ok := serverOf(entry)
	if !ok {
		return nil
	}
	return srv.start()
}

func (s server) start() []string { return append([]string{s.command}, s.args...) }

// remoteOf reads the address of an entry, and what the client sends along with each request.
func remoteOf(all map[string]any) remote {
	r := remote{header: map[string]string{}}
	for _, key := range []string{"httpUrl", "serverUrl", "url"} { // of Gemini CLI, Windsurf, all others
		if text, _ := all[key].(string); text != "" && r.url == "" {
			r.url = text
		}
	}
	for _, key := range []string{"headers", "http_headers"} {
		named, _ := all[key].(map[string]any)
		for name, value := range named {
			r.header[name], _ = value.(string)
		}
	}
	named, _ := all["env_http_headers"].(map[string]any) // of Codex: names of variables
	for name, value := range named {
		if text, _ := value.(string); text != "" {
			r.header[name] = "${" + text + "}"
		}
	}
	if name, _ := all["bearer_token_env_var"].(string); name != "" {
		r.header["Authorization"] = "Bearer ${" + name + "}"
	}
	return r
}

// serves reports whether it starts this program as a server, by its name.
func (s server) serves() bool {
	return scriptName(s.command) == driverName && len(s.args) > 0 && slices.Contains(s.args, "mcp")
}
