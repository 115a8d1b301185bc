package setup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"sdd/internal/allow"
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
	shown  string // for people
	line   int
	server rag.Server
	own    bool // it starts this program, by any name
}

type Client struct {
	Client  string `json:"client"`
	Scope   Scope  `json:"scope"`
	File    string `json:"file"`
	Command string `json:"command"`
	probed
	Problem string `json:"problem"`
}

// clients starts the server as every client with an entry would, and reports the result.
func (c *Checkup) clients(ctx context.Context, s Surroundings, root, version string) {
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
		c.doubles(k, all)
	}
	c.commands(s, root)
	if len(all) == 0 {
		c.ok("clients: none is set up (if you want one: sdd setup)")
	}
}

// open reads the file of a piece; ok is false when there is none. An unreadable file is a finding.
func (c *Checkup) open(s Surroundings, p piece, code, text, fix string) (st step, ok bool) {
	if p.path == "" {
		return st, false
	}
	st, err := s.start(p, p.path)
	if err == nil && p.in != nil {
		in, _ := p.in(st.file.src)
		_, _, _, err = in.get(st.file.src)
	}
	if err != nil {
		f := fault.Of(err)
		c.find(code, st.Shown, f.Line, text+f.Message, fix)
	}
	return st, err == nil && st.file.exists
}

// entries reads a client's file, in order of the entries' names.
func (c *Checkup) entries(s Surroundings, k *client, scope Scope, root string) (out []configured) {
	p := s.serverPiece(k, scope, root)
	st, ok := c.open(s, p, "client_file", k.name+" cannot read its file: ", "mend it; sdd setup "+k.id+" tells what to add by hand")
	if !ok {
		return nil
	}
	src, n := st.file.src, st.noted
	servers, _ := k.serversIn(s, scope, src)
	paths := [][]string{servers}
	if k.id == "claude-code" && scope == UserScope { // where `claude mcp add` writes: for this user in this project
		paths = append(paths, []string{"projects", root, k.keys[0]})
	}
	for _, path := range paths {
		value, _, _, _ := k.at(path...).get(src)
		all, _ := value.(map[string]any)
		for _, name := range slices.Sorted(maps.Keys(all)) {
			entry, line, ok, err := k.at(append(slices.Clone(path), name)...).get(src)
			server, off := rag.Entry(name, entry)
			if err != nil || !ok || off || server.Empty() {
				continue
			}
			starts := server.Command != "" && (serves(start(server)) || n != nil && n.started(start(server)) ||
				server.Command == s.Program && slices.Contains(server.Args, "mcp"))
			if name == driverName || starts || server.URL != "" && strings.HasPrefix(name, driverName+"-") {
				out = append(out, configured{k, scope, p.path, st.Shown, line, server, starts})
			}
		}
	}
	return out
}

// errForeign means that the entry of a project is not started.
var errForeign = errors.New("it was not started: the project's file names another command than `sdd mcp`, or sets variables for it")

// try starts a server as its client would, a project's only if it is this program: a cloned repository must not choose what runs here.
func (e configured) try(ctx context.Context, s Surroundings, root string) (probed, error) {
	if e.server.Command == "" {
		return probed{}, nil
	}
	if e.scope == ProjectScope && !e.harmless() {
		return probed{}, errForeign
	}
	expand := func(text string) string { return e.expand(s, root, text) }
	run := rag.Server{Name: e.server.Name, Command: expand(e.server.Command), Environ: e.environment(s), Env: map[string]string{}}
	if !filepath.IsAbs(run.Command) {
		found, err := s.LookPath(run.Command)
		if err != nil {
			return probed{}, fmt.Errorf("%q is not on the PATH", run.Command)
		}
		run.Command = found
	}
	for _, a := range e.server.Args {
		run.Args = append(run.Args, expand(a))
	}
	for name, value := range e.server.Env {
		run.Env[name] = expand(value)
	}
	dir := root
	if e.scope == UserScope && (e.client.pinned || e.client.variable != "") {
		dir = s.Home
	}
	if dir = cmp.Or(expand(e.server.Dir), dir); !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	return probe(ctx, run, dir)
}

// harmless reports whether an entry of a project starts this program and nothing else.
func (e configured) harmless() bool {
	srv, last := e.server, len(e.server.Args)-1
	if srv.Command != driverName && srv.Command != driverName+".exe" || len(srv.Env) > 0 || srv.Dir != "" && srv.Dir != "." {
		return false
	}
	return last >= 0 && srv.Args[last] == "mcp" && !slices.ContainsFunc(srv.Args[:last], func(a string) bool {
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

func (c *Checkup) report(ctx context.Context, s Surroundings, e configured, p probed, err error, root, version string) {
	k, line := e.client, shownServer(e.server)
	problem := ""
	bad := func(code, why, text, fix string) {
		problem = why
		c.find(code, e.shown, e.line, k.name+" "+text, fix)
	}
	again := "sdd setup " + k.id + " --" + string(e.scope) + " writes the entry anew, if sdd setup wrote it; else mend it by hand"
	if e.scope == ProjectScope {
		again = "put sdd on the PATH that " + k.name + " has, or set up your own file: sdd setup " + k.id
	}
	switch {
	case e.server.Command == "": // calling it would send the user's headers to an address that a repository may choose
		c.ok("%s: %q is at %s; sdd doctor --http %s checks it (%s, %s)", k.name, e.server.Name, line, line, e.scope, e.shown)
	case temporary(e.server.Command, e.file): // even if it still exists
		bad("client_temporary", "the program is a temporary one", fmt.Sprintf("starts %q, a temporary program", e.server.Command),
			installHint+", then sdd setup "+k.id)
	case err != nil:
		code := "client_start"
		if errors.Is(err, errForeign) {
			code, again = "client_not_started", "look at it, and run it by hand if you trust it"
		}
		bad(code, err.Error(), fmt.Sprintf("gets no tools from %q: %v", e.server.Name, err), again)
	default:
		c.ok("%s: %d tools over MCP %s in %d ms (%s, %s)", k.name, p.Tools, p.Protocol, p.Millis, e.scope, e.shown)
		c.otherProgram(ctx, s, e, version)
		if e.scope == ProjectScope {
			c.trusted(s, e, root)
		}
	}
	c.Clients = append(c.Clients, Client{k.id, e.scope, filepath.ToSlash(e.file), line, p, problem})
}

// otherProgram finds an entry that starts another version of this program.
func (c *Checkup) otherProgram(ctx context.Context, s Surroundings, e configured, version string) {
	path := e.server.Command
	if found, err := s.LookPath(path); err == nil {
		path = found
	}
	if !e.own || s.Program == "" || git.SameFile(path, s.Program) {
		return
	}
	if other, err := versionOf(ctx, path); err == nil && other != version {
		text := fmt.Sprintf("%s starts %s, version %s; this is %s", e.client.name, filepath.ToSlash(path), other, version)
		c.find("client_version", e.shown, e.line, text,
			"install one version, or run sdd setup "+e.client.id+" with the one that is to be used")
	}
}

// trusted finds a client that does not take servers from this project's file.
func (c *Checkup) trusted(s Surroundings, e configured, root string) {
	find := func(text, fix string) {
		c.find("client_trust", e.shown, e.line, text, fix+", or set up your own file: sdd setup "+e.client.id)
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
			if slices.Contains(rag.Texts(list), e.server.Name) {
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

func (c *Checkup) doubles(k *client, all []configured) {
	var last configured
	var places []string
	names := map[string]bool{}
	for _, e := range all {
		if e.client == k && e.own {
			last, names[e.server.Name] = e, true
			places = append(places, fmt.Sprintf("%q in %s", e.server.Name, e.shown))
		}
	}
	text := fmt.Sprintf("%s has %d entries: %s", k.name, len(places), strings.Join(places, ", "))
	switch {
	case len(places) < 2:
	case len(names) == 1:
		c.ok("%s; of one name, the one nearest to the project counts", text)
	default:
		c.find("client_double", last.shown, last.line, text+", so agents see every tool more than once", "take one out by hand")
	}
}

// probed is what a client learns of a server.
type probed struct {
	Name     string `json:"-"`
	Version  string `json:"-"`
	Protocol string `json:"protocol"` // "" when it did not answer or was not started
	Tools    int    `json:"tools"`
	Millis   int64  `json:"ms"` // from its start to its list of tools
}

const (
	probePatience = 10 * time.Second // the shortest time that a client allows a server
	maxComplaint  = 300              // characters of what a program wrote to its error stream
)

// probe starts or calls a server as a client does and lists its tools. Its error has the last lines of the server's error stream.
func probe(ctx context.Context, s rag.Server, dir string) (p probed, err error) {
	ctx, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	complaint := &allow.LastBytes{Most: 4 * maxComplaint}
	s.Stderr = complaint
	start := time.Now()
	c, err := rag.Connect(ctx, s, dir)
	if err == nil {
		var tools []rag.Tool
		tools, err = c.Tools(ctx)
		p.Tools, p.Millis = len(tools), time.Since(start).Milliseconds()
		p.Name, p.Version, p.Protocol = c.Info()
		p.Name, p.Version = shortLine(p.Name), shortLine(p.Version)
		c.Close()
	}
	var dial *net.OpError
	var known *fault.Error
	switch {
	case err == nil:
		return p, nil
	case errors.Is(err, context.DeadlineExceeded):
		err = fmt.Errorf("it does not answer within %d seconds", probePatience/time.Second)
	case errors.As(err, &dial) && dial.Op == "dial":
		err = errors.New("nothing answers at that address")
	case errors.As(err, &known):
		err = known
	}
	return p, andSaid(err, complaint)
}

func shortLine(s string) string { return fault.Cut(strings.Join(strings.Fields(s), " "), maxComplaint) }

// andSaid adds the last two lines of another program, blank ones aside, to the error that it ended with.
func andSaid(err error, complaint *allow.LastBytes) error {
	lines := strings.FieldsFunc(string(complaint.Bytes), func(r rune) bool { return r == '\n' })
	lines = slices.DeleteFunc(lines, func(line string) bool { return strings.TrimSpace(line) == "" })
	if err == nil || len(lines) == 0 {
		return err
	}
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return fmt.Errorf("%w, and said: %s", err, shortLine(strings.Join(lines[max(len(lines)-2, 0):], "; ")))
}
