package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sdd/internal/codesearch/rag"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// configured is an entry for this program in a client's file.
type configured struct {
	client *client
	scope  Scope
	file   string // absolute
	line   int
	name   string
	server server
	own    bool // it starts this program, by any name
}

// Client is the result of doctor for one entry of a client.
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

// clients starts the server as every client with an entry would, and reports the result.
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
	var group errgroup.Group
	group.SetLimit(4) // servers at once
	for i, e := range all {
		group.Go(func() error {
			results[i], errs[i] = e.try(ctx, s, root)
			return nil
		})
	}
	_ = group.Wait() // errs has the errors
	for i, e := range all {
		c.report(ctx, s, e, results[i], errs[i], root, version)
	}
	for _, k := range clients {
		c.doubles(s, k, all, root)
	}
	c.commands(s, root)
	if len(all) == 0 {
		c.ok("clients: none is set up (if you want one: sdd setup)")
	}
}

// entries reads a client's file. An unreadable file is a finding.
func (c *Checkup) entries(s Surroundings, k *client, scope Scope, root string) []configured {
	path, inside := k.file(s, scope, root), ""
	if path == "" {
		return nil
	}
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
		c.find("client_file", s.shown(root, path), f.Line, k.name+" cannot read its file: "+f.Message,
			"mend it; sdd setup "+k.id+" tells what to add by hand")
		return nil
	}
	places := []place{p}
	if k.id == "claude-code" && scope == UserScope { // where `claude mcp add` writes: for this user in this project
		places = append(places, jsonPlace{[]string{"projects", root, k.keys[0], driverName}})
	}
	n := s.notes().read(f.target)
	starts := func(srv server) bool {
		return srv.serves() || n != nil && n.started(srv.start()) ||
			srv.command != "" && srv.command == s.Program && slices.Contains(srv.args, "mcp")
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
		switch own := name == driverName; {
		case srv.disabled:
		case ok && (own || starts(srv)), !ok && srv.url != "" && (own || strings.HasPrefix(name, driverName+"-")):
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

// serverNames lists the servers of a readable file, in order of their names.
func serverNames(p place, src []byte) []string {
	var all any
	switch p := p.(type) {
	case jsonPlace:
		all, _, _, _ = jsonc.Get(src, p.path[:len(p.path)-1]...)
	case tomlTable:
		all, _, _, _ = tomlTable{p.path[:len(p.path)-1]}.get(src)
	}
	servers, _ := all.(map[string]any)
	return slices.Sorted(maps.Keys(servers))
}

// errForeign means that the entry of a project is not started.
var errForeign = errors.New("it was not started: the project's file names another command than `sdd mcp`, or sets variables for it")

// try starts a server as its client would. It starts an entry of the project only if that is this program by its name: a cloned repository
// must not choose what runs here.
func (e configured) try(ctx context.Context, s Surroundings, root string) (probed, error) {
	if e.server.command == "" {
		return probed{}, nil
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
	run := rag.Server{Name: e.name, Command: program, Environ: e.environment(s), Env: map[string]string{}}
	for _, a := range e.server.args {
		run.Args = append(run.Args, expand(a))
	}
	for name, value := range e.server.env {
		run.Env[name] = expand(value)
	}
	return probe(ctx, run, dir)
}

// harmless reports whether an entry of a project starts this program and nothing else.
func (e configured) harmless() bool {
	srv, last := e.server, len(e.server.args)-1
	if srv.command != driverName && srv.command != driverName+".exe" || len(srv.env) > 0 || srv.cwd != "" && srv.cwd != "." {
		return false
	}
	return last >= 0 && srv.args[last] == "mcp" && !slices.ContainsFunc(srv.args[:last], func(a string) bool {
		return a == "mcp" || !strings.HasPrefix(a, "--") && !strings.HasPrefix(a, "${workspaceFolder}")
	})
}

// passedOn are the variables that some clients pass on, of all that they have.
var passedOn = map[string][]string{
	"codex": strings.Fields("HOME LOGNAME PATH SHELL USER LANG LC_ALL TERM TMPDIR TZ " +
		"SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"),
	"claude-desktop": strings.Fields("HOME LOGNAME PATH SHELL USER TERM SYSTEMROOT USERPROFILE APPDATA LOCALAPPDATA TEMP TMP"),
}

func (e configured) environment(s Surroundings) []string {
	names, ok := passedOn[e.client.id]
	if !ok {
		return os.Environ()
	}
	out := []string{}
	for _, name := range names {
		if value := s.Getenv(name); value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

var variable = pattern.Late(`\$\{([^}]*)\}|\{env:([^}]*)\}`)

// expand replaces variables as the clients do: ${workspaceFolder}, ${NAME}, ${env:NAME}, {env:NAME} and ${NAME:-otherwise}.
func (e configured) expand(s Surroundings, root, text string) string {
	return variable().ReplaceAllStringFunc(text, func(whole string) string {
		name, otherwise, _ := strings.Cut(strings.TrimPrefix(strings.Trim(whole, "${}"), "env:"), ":-")
		switch name {
		case "workspaceFolder":
			return root
		case "userHome":
			return s.Home
		}
		return cmp.Or(s.Getenv(name), otherwise, whole)
	})
}

// report adds the result for an entry.
func (c *Checkup) report(ctx context.Context, s Surroundings, e configured, p probed, err error, root, version string) {
	file, who := s.shown(root, e.file), e.client.name
	c.Clients = append(c.Clients, Client{Client: e.client.id, Scope: e.scope, File: filepath.ToSlash(e.file), Command: e.server.line(),
		Protocol: p.Protocol, Tools: p.Tools, Millis: p.Time.Milliseconds()})
	seen := &c.Clients[len(c.Clients)-1]
	if e.server.command == "" { // calling it would send the user's headers to an address that a repository may choose
		c.ok("%s: %q is at %s; sdd doctor --http %s checks it (%s, %s)", who, e.name, e.server.line(), e.server.line(), e.scope, file)
		return
	}
	if temporary(e.server.command, e.file) { // even if it still exists
		seen.Problem = "the program is a temporary one"
		c.find("client_temporary", file, e.line, fmt.Sprintf("%s starts %q, a temporary program", who, e.server.command),
			installHint+", then sdd setup "+e.client.id)
		return
	}
	if err != nil {
		seen.Problem = err.Error()
		code := "client_start"
		fix := "sdd setup " + e.client.id + " --" + string(e.scope) + " writes the entry anew, if sdd setup wrote it; else mend it by hand"
		switch {
		case errors.Is(err, errForeign):
			code, fix = "client_not_started", "look at it, and run it by hand if you trust it"
		case e.scope == ProjectScope:
			fix = "put sdd on the PATH that " + who + " has, or set up your own file: sdd setup " + e.client.id
		}
		c.find(code, file, e.line, fmt.Sprintf("%s gets no tools from %q: %v", who, e.name, err), fix)
		return
	}
	ms := p.Time.Round(time.Millisecond).Milliseconds()
	c.ok("%s: %d tools over MCP %s in %d ms (%s, %s)", who, p.Tools, p.Protocol, ms, e.scope, file)
	c.otherProgram(ctx, s, e, file, version)
	if e.scope == ProjectScope {
		c.trusted(s, e, file, root)
	}
}

// otherProgram finds an entry that starts another version of this program.
func (c *Checkup) otherProgram(ctx context.Context, s Surroundings, e configured, file, version string) {
	path := e.server.command
	if found, err := s.LookPath(path); err == nil {
		path = found
	}
	if !e.own || s.Program == "" || git.SameFile(path, s.Program) {
		return
	}
	if other, err := versionOf(ctx, path); err == nil && other != version {
		text := fmt.Sprintf("%s starts %s, version %s; this is %s", e.client.name, filepath.ToSlash(path), other, version)
		c.find("client_version", file, e.line, text, "install one version, or run sdd setup "+e.client.id+" with the one that is to be used")
	}
}

// trusted finds a client that does not take servers from this project's file.
func (c *Checkup) trusted(s Surroundings, e configured, file, root string) {
	find := func(text, fix string) {
		c.find("client_trust", file, e.line, text, fix+", or set up your own file: sdd setup "+e.client.id)
	}
	switch e.client.id {
	case "codex":
		all, err := readTOML(readFile(s.at(e.client.user)))
		level, _ := tomlTable{[]string{"projects", root, "trust_level"}}.in(all)
		if err == nil && level != "trusted" {
			find("Codex passes over this file: it does not trust this folder", "start codex here and trust the folder")
		}
	case "claude-code":
		const key = "disabledMcpjsonServers"
		ofUser, _, _, _ := jsonc.Get(readFile(s.at(e.client.user)), "projects", root, key) // nothing from a file that cannot be read
		ofProject, _, _, _ := jsonc.Get(readFile(filepath.Join(root, ".claude", "settings.local.json")), key)
		for _, list := range []any{ofUser, ofProject} {
			if slices.Contains(texts(list), e.name) {
				find("Claude Code does not start it: somebody rejected it", "claude mcp reset-project-choices")
			}
		}
	case "gemini-cli":
		trust, _, _, _ := jsonc.Get(readFile(s.inHome(".gemini", "trustedFolders.json")), root)
		if trust == "DO_NOT_TRUST" {
			find("Gemini CLI passes over this file: it does not trust this folder", "/permissions in gemini")
		}
	}
}

// doubles finds a client with more than one entry.
func (c *Checkup) doubles(s Surroundings, k *client, all []configured, root string) {
	var last configured
	var places []string
	names := map[string]bool{}
	for _, e := range all {
		if e.client == k && e.own {
			last, names[e.name] = e, true
			places = append(places, fmt.Sprintf("%q in %s", e.name, s.shown(root, e.file)))
		}
	}
	if len(places) < 2 {
		return
	}
	text := fmt.Sprintf("%s has %d entries: %s", k.name, len(places), strings.Join(places, ", "))
	if len(names) == 1 {
		c.ok("%s; of one name, the one nearest to the project counts", text)
		return
	}
	c.find("client_double", s.shown(root, last.file), last.line, text+", so agents see every tool more than once", "take one out by hand")
}
