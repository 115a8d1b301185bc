package setup

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// configured is an entry that starts this program, in a client's file.
type configured struct {
	client *client
	scope  Scope
	file   string // absolute
	line   int
	name   string
	server server
	own    bool // it starts this program, whatever that is called
}

// Client is what doctor saw of one client's entry.
type Client struct {
	Client   string `json:"client"`
	Scope    Scope  `json:"scope"`
	File     string `json:"file"`
	Command  string `json:"command"`
	Protocol string `json:"protocol"` // "" when it did not answer or was not started
	Tools    int    `json:"tools"`
	Millis   int64  `json:"ms"` // from its start to its list of tools
	Problem  string `json:"problem"`
}

// clients starts the server as every client that has an entry for it would, and tells what that client sees.
func (c *Checkup) clients(ctx context.Context, s Surroundings, root, version string) {
	c.Clients = []Client{}
	var all []configured
	for _, k := range clients {
		for _, scope := range []Scope{UserScope, ProjectScope} {
			all = append(all, c.entries(s, k, scope, root)...)
		}
	}
	results := make([]probed, len(all))
	errs := make([]error, len(all))
	var wait sync.WaitGroup
	free := make(chan struct{}, 4) // started at once
	for i, e := range all {
		wait.Go(func() {
			free <- struct{}{}
			defer func() { <-free }()
			results[i], errs[i] = e.try(ctx, s, root)
		})
	}
	wait.Wait()
	for i, e := range all {
		c.tell(ctx, s, e, results[i], errs[i], root, version)
	}
	for _, k := range clients {
		c.doubles(s, k, all, root)
	}
	c.commands(s, root)
	if len(all) == 0 {
		c.Checked = append(c.Checked, "clients: none is set up (if you want one: sdd setup)")
	}
}

// entries reads a client's file. One that cannot be read is a finding where it speaks of this program.
func (c *Checkup) entries(s Surroundings, k *client, scope Scope, root string) []configured {
	path := k.file(s, scope, root)
	if path == "" {
		return nil
	}
	inside := ""
	if scope == ProjectScope {
		inside = root
	}
	var src []byte
	f, err := openOwned(path, inside)
	if err == nil {
		if src = f.src; !f.exists {
			return nil
		}
	}
	p, _ := k.place(s, scope, src, driverName)
	if err == nil {
		_, _, _, err = p.get(src)
	}
	if err != nil {
		f := fault.Of(err)
		c.find("client_file", s.shown(root, path), f.Line, k.name+" cannot read its file: "+f.Message, "mend it; sdd setup "+k.id+" tells what to add by hand")
		return nil
	}
	places := []place{p}
	if k.id == "claude-code" && scope == UserScope { // what `claude mcp add` writes: for this user in this project
		places = append(places, jsonPlace{[]string{"projects", root, k.keys[0], driverName}})
	}
	n := s.notes().read(f.target)
	starts := func(srv server) bool {
		return srv.serves() || n != nil && n.started(srv.start()) || srv.command != "" && srv.command == s.Program && slices.Contains(srv.args, "mcp")
	}
	var out []configured
	for _, p := range places {
		out = append(out, k.entriesAt(p, scope, path, src, starts)...)
	}
	return out
}

// entriesAt reads the entries beside a place of a file.
func (k *client) entriesAt(p place, scope Scope, path string, src []byte, starts func(server) bool) []configured {
	var out []configured
	for _, name := range serverNames(p, src) {
		entry, line, ok, err := beside(p, name).get(src)
		if err != nil || !ok {
			continue
		}
		srv, ok := serverOf(entry)
		if k.id == "gemini-cli" {
			srv.remote.brace()
		}
		switch own := name == driverName; {
		case srv.disabled:
		case ok && (own || starts(srv)), !ok && srv.remote.url != "" && (own || strings.HasPrefix(name, driverName+"-")):
			out = append(out, configured{k, scope, path, line, name, srv, starts(srv)})
		}
	}
	return out
}

// beside is the place of another name.
func beside(p place, name string) place {
	switch p := p.(type) {
	case jsonPlace:
		return jsonPlace{append(slices.Clone(p.path[:len(p.path)-1]), name)}
	case tomlTable:
		return tomlTable{append(slices.Clone(p.path[:len(p.path)-1]), name)}
	}
	return p
}

// serverNames lists the servers of a file, in order of their names.
func serverNames(p place, src []byte) []string {
	var all any
	switch p := p.(type) {
	case jsonPlace:
		all, _, _, _ = jsonc.Get(src, p.path[:len(p.path)-1]...) // it was read before
	case tomlTable:
		said, _ := readTOML(src) // it was read before
		all, _ = tomlTable{p.path[:len(p.path)-1]}.in(said)
	}
	var names []string
	servers, _ := all.(map[string]any)
	for name := range servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// errForeign says that an entry of a project is not started.
var errForeign = errors.New("it was not started: the project's file names another command than `sdd mcp`, or sets variables for it")

// try starts a server as its client would. What a file of the project names is started only if it is this program by its
// name: a repository that is cloned is not to say what runs here.
func (e configured) try(ctx context.Context, s Surroundings, root string) (probed, error) {
	if e.server.command == "" {
		return e.ask(ctx, s, root)
	}
	if e.scope == ProjectScope && !e.harmless() {
		return probed{}, errForeign
	}
	dir := root
	if e.scope == UserScope && (e.client.pinned || e.client.variable != "") {
		dir = s.Home
	}
	expand := func(text string) string { return e.expand(s, root, text) }
	program := expand(e.server.command)
	if !filepath.IsAbs(program) {
		found, err := s.LookPath(program)
		if err != nil {
			return probed{}, fmt.Errorf("%q is not on the PATH", program)
		}
		program = found
	}
	if cwd := expand(e.server.cwd); cwd != "" {
		if !filepath.IsAbs(cwd) {
			cwd = filepath.Join(root, cwd)
		}
		dir = cwd
	}
	return probe(ctx, func(ctx context.Context) *exec.Cmd {
		cmd := exec.CommandContext(ctx, program)
		for _, a := range e.server.args {
			cmd.Args = append(cmd.Args, expand(a))
		}
		cmd.Dir, cmd.Env = dir, e.environment(s)
		for name, value := range e.server.env {
			cmd.Env = append(cmd.Env, name+"="+expand(value))
		}
		return cmd
	})
}

// harmless reports whether an entry of a project starts this program and nothing else.
func (e configured) harmless() bool {
	if e.server.command != driverName && e.server.command != driverName+".exe" || len(e.server.env) > 0 || e.server.cwd != "" && e.server.cwd != "." {
		return false
	}
	return len(e.server.args) > 0 && e.server.args[len(e.server.args)-1] == "mcp" && !slices.Contains(e.server.args[:len(e.server.args)-1], "mcp") &&
		!slices.ContainsFunc(e.server.args[:len(e.server.args)-1], func(a string) bool { return !strings.HasPrefix(a, "--") && !strings.HasPrefix(a, "${workspaceFolder}") })
}

// few are the variables that some clients hand on, of all that they have.
var few = map[string][]string{
	"codex":          {"HOME", "LOGNAME", "PATH", "SHELL", "USER", "LANG", "LC_ALL", "TERM", "TMPDIR", "TZ", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"},
	"claude-desktop": {"HOME", "LOGNAME", "PATH", "SHELL", "USER", "TERM", "SYSTEMROOT", "USERPROFILE", "APPDATA", "LOCALAPPDATA", "TEMP", "TMP"},
}

func (e configured) environment(s Surroundings) []string {
	names, ok := few[e.client.id]
	if !ok {
		return os.Environ()
	}
	var out []string
	for _, name := range names {
		if value := s.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

var variable = pattern.Late(`\$\{([^}]*)\}|\{env:([^}]*)\}`)

// expand puts in what the clients put in: ${workspaceFolder}, ${NAME}, ${env:NAME}, {env:NAME} and ${NAME:-otherwise}.
func (e configured) expand(s Surroundings, root, text string) string {
	return variable().ReplaceAllStringFunc(text, func(whole string) string {
		name, otherwise, _ := strings.Cut(strings.TrimPrefix(strings.Trim(whole, "${}"), "env:"), ":-")
		switch name {
		case "workspaceFolder":
			return root
		case "userHome":
			return s.Home
		}
		if value := s.Getenv(name); value != "" || otherwise != "" {
			if value == "" {
				value = otherwise
			}
			return value
		}
		return whole
	})
}

// tell adds what was seen of an entry.
func (c *Checkup) tell(ctx context.Context, s Surroundings, e configured, p probed, err error, root, version string) {
	seen := Client{Client: e.client.id, Scope: e.scope, File: filepath.ToSlash(e.file), Command: e.server.line(),
		Protocol: p.Protocol, Tools: p.Tools, Millis: p.Time.Milliseconds()}
	file, who := s.shown(root, e.file), e.client.name
	if temporary(e.server.command, e.file) { // it may be there still
		seen.Problem = "the program is a temporary one"
		c.Clients = append(c.Clients, seen)
		c.find("client_temporary", file, e.line, fmt.Sprintf("%s starts %q, a temporary program", who, e.server.command),
			installHint+", then sdd setup "+e.client.id)
		return
	}
	if err != nil {
		seen.Problem = err.Error()
		c.Clients = append(c.Clients, seen)
		if e.server.command == "" {
			c.tellRemote(e, file, err)
			return
		}
		code, fix := "client_start", "sdd setup "+e.client.id+" --"+string(e.scope)+" writes the entry anew, if sdd setup wrote it; else mend it by hand"
		switch {
		case errors.Is(err, errForeign):
			code, fix = "client_not_started", "look at it, and run it by hand if you trust it"
		case e.scope == ProjectScope:
			fix = "put sdd on the PATH that " + who + " has, or set up your own file: sdd setup " + e.client.id
		}
		c.find(code, file, e.line, fmt.Sprintf("%s gets no tools from %q: %v", who, e.name, err), fix)
		return
	}
	c.Clients = append(c.Clients, seen)
	at := ""
	if e.server.command == "" {
		at = " at " + e.server.line()
	}
	c.Checked = append(c.Checked, fmt.Sprintf("%s: %d tools over MCP %s in %d ms%s (%s, %s)", who, p.Tools, p.Protocol, p.Time.Round(time.Millisecond).Milliseconds(), at, e.scope, file))
	if e.server.command == "" {
		c.otherServer(p, who, file, e.line, version)
		return
	}
	c.otherProgram(ctx, s, e, file, version)
	if e.scope == ProjectScope {
		c.trusted(s, e, file, root)
	}
}

// otherProgram looks whether an entry starts another program than this one.
func (c *Checkup) otherProgram(ctx context.Context, s Surroundings, e configured, file, version string) {
	path := e.server.command
	if found, err := s.LookPath(path); err == nil {
		path = found
	}
	if !e.own || s.Program == "" || git.SameFile(path, s.Program) {
		return
	}
	if other, err := versionOf(ctx, path); err == nil && other != version {
		c.find("client_version", file, e.line, fmt.Sprintf("%s starts %s, version %s; this is %s", e.client.name, filepath.ToSlash(path), other, version),
			"install one version, or run sdd setup "+e.client.id+" with the one that is to be used")
	}
}

// trusted looks whether a client takes servers from this project's file.
func (c *Checkup) trusted(s Surroundings, e configured, file, root string) {
	switch e.client.id {
	case "codex":
		said, err := readTOML(readFile(filepath.Join(s.folder("CODEX_HOME", s.inHome(".codex")), "config.toml")))
		level, _ := tomlTable{[]string{"projects", root, "trust_level"}}.in(said)
		if err == nil && level != "trusted" {
			c.find("client_trust", file, e.line, "Codex passes over this file: it does not trust this folder", "start codex here and trust the folder, or set up your own file: sdd setup codex")
		}
	case "claude-code":
		for _, place := range []struct {
			file string
			path []string
		}{
			{s.at(e.client.user), []string{"projects", root, "disabledMcpjsonServers"}},
			{filepath.Join(root, ".claude", "settings.local.json"), []string{"disabledMcpjsonServers"}},
		} {
			list, _, _, _ := jsonc.Get(readFile(place.file), place.path...) // nothing is said where it cannot be read
			if names, _ := list.([]any); slices.Contains(names, any(e.name)) {
				c.find("client_trust", file, e.line, "Claude Code does not start it: somebody rejected it", "claude mcp reset-project-choices, or set up your own file: sdd setup claude-code")
			}
		}
	case "gemini-cli":
		said, _, _, _ := jsonc.Get(readFile(s.inHome(".gemini", "trustedFolders.json")), root)
		if said == "DO_NOT_TRUST" {
			c.find("client_trust", file, e.line, "Gemini CLI passes over this file: it does not trust this folder", "/permissions in gemini, or set up your own file: sdd setup gemini-cli")
		}
	}
}

// doubles looks for a client that has more than one entry.
func (c *Checkup) doubles(s Surroundings, k *client, all []configured, root string) {
	var mine []configured
	names := map[string]bool{}
	for _, e := range all {
		if e.client == k && e.own {
			mine, names[e.name] = append(mine, e), true
		}
	}
	if len(mine) < 2 {
		return
	}
	var places []string
	for _, e := range mine {
		places = append(places, fmt.Sprintf("%q in %s", e.name, s.shown(root, e.file)))
	}
	text := k.name + " has " + fmt.Sprint(len(mine)) + " entries: " + strings.Join(places, ", ")
	if len(names) == 1 {
		c.Checked = append(c.Checked, text+"; of one name, the one nearest to the project counts")
		return
	}
	last := mine[len(mine)-1]
	c.find("client_double", s.shown(root, last.file), last.line, text+", so agents see every tool more than once", "take one out by hand")
}
