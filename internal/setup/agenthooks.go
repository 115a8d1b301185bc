package setup

import (
	"embed"
	"encoding/json"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/agenthook"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/setup/jsonc"
)

// A client with one file for the hooks of all programs gets an entry for each event; one that reads a folder of files gets a file.

const (
	hooksPart   = "hooks" // of a file that also has the client's servers: Gemini CLI
	hooksPrefix = "hooks:"
	hookSeconds = 10 // the limit that clients are given for a hook
)

func HookClientNames() (names []string) {
	for _, c := range agenthook.Clients {
		names = append(names, c.ID)
	}
	return names
}

// hasHookClient reports whether a client is on the machine or used in the project.
func (s Surroundings) hasHookClient(c *agenthook.Client, root string) bool {
	for _, k := range clients {
		if k.id == c.ID {
			return k.present(s) || k.usedIn(root)
		}
	}
	return exists(s.inHome("."+c.ID)) || exists(filepath.Join(root, "."+c.ID))
}

// agentHookFile is the file of a client's hooks in a scope, "" when it has none.
func agentHookFile(s Surroundings, c *agenthook.Client, scope Scope, root string) string {
	switch {
	case scope == ProjectScope:
		return filepath.Join(root, filepath.FromSlash(c.Project))
	case c.User == "":
		return ""
	}
	return s.at(c.User)
}

// HasHooks reports whether a client that reads a folder of hooks has the file of this program, the user's or the project's.
func HasHooks(client, root string) bool {
	s, err := Here()
	c := agenthook.Named(client)
	return err == nil && c != nil && (exists(agentHookFile(s, c, UserScope, root)) || exists(agentHookFile(s, c, ProjectScope, root)))
}

// hookLine is the shell command that runs a program as a client's hook.
func (s Surroundings) hookLine(program, client string) string {
	if strings.ContainsAny(program, " \t'\"\\$`&|;<>()*?[]{}!#~") {
		if s.OS == "windows" {
			return `"` + program + `" hook ` + client
		}
		program = shellQuote(program)
	}
	return program + " hook " + client
}

// programOfHook returns the program of a command that hookLine made, under any path; ok is false for other commands.
func programOfHook(line, client string) (program string, ok bool) {
	word, rest := shellWord(line)
	if quoted, found := strings.CutPrefix(line, `"`); found {
		word, rest, _ = strings.Cut(quoted, `"`)
	}
	return word, rest == " hook "+client && strings.HasPrefix(scriptName(word), driverName)
}

func (s Surroundings) hookPiece(c *agenthook.Client, scope Scope, root string) piece {
	p := piece{user: hooksPrefix + c.ID, scope: scope, root: root, path: agentHookFile(s, c, scope, root), thing: "a hook that calls sdd",
		none: Change{State: Unsupported, Text: c.Name + " documents hooks of a project only", Fix: "sdd setup --hooks " + c.ID + " --project"}}
	program := filepath.ToSlash(s.Program)
	if scope == ProjectScope { // the path differs by machine
		program = driverName
	}
	line := s.hookLine(program, c.ID)
	if program == "" {
		p.err = errNoPath()
	}
	if c.Form == agenthook.Owned || c.Form == agenthook.Plugin {
		p.text = hookFileText(c, program, line)
	} else {
		at := hookPlace{c, line}
		p.part, p.in = hooksPart, func([]byte) (place, []jsonc.Member) { return at, at.entry() }
	}
	p.words = func(st *step) {
		if st.State != Added && st.State != Updated {
			return
		}
		st.Text = c.Trust
		if scope == ProjectScope && c.ProjectTrust != "" {
			st.Text = strings.TrimPrefix(st.Text+"; "+c.ProjectTrust, "; ")
		}
	}
	return p
}

// hookPlace is the place of a client's hooks in a file for the hooks of all programs.
type hookPlace struct {
	client  *agenthook.Client
	command string
}

func (p hookPlace) element(e agenthook.Event) []jsonc.Member {
	c := p.client
	hook := []jsonc.Member{{Name: "command", Value: p.command}}
	var matcher []jsonc.Member
	if e.Matcher != "" {
		matcher = []jsonc.Member{{Name: "matcher", Value: e.Matcher}}
	}
	if c.Form == agenthook.Groups {
		hook = append([]jsonc.Member{{Name: "type", Value: "command"}}, hook...)
		limit := hookSeconds
		if c.ID == "codex" && e.Kind == agenthook.End {
			limit = 3 // Codex gives no more, and warns at each start when a file asks for more
		}
		if c.ID == "gemini-cli" {
			hook = append([]jsonc.Member{{Name: "name", Value: driverName}}, hook...)
			limit *= 1000 // milliseconds
		}
		return append(matcher, jsonc.Member{Name: "hooks", Value: []any{append(hook, jsonc.Member{Name: "timeout", Value: limit})}})
	}
	hook = append(hook, matcher...)
	if c.ID == "windsurf" {
		return append(hook, jsonc.Member{Name: "show_output", Value: false})
	}
	return append(hook, jsonc.Member{Name: "timeout", Value: hookSeconds})
}

// own returns the indexes of this program's entries in a parsed list, and their commands.
func (p hookPlace) own(list any) (at []int, commands []string) {
	all, _ := list.([]any)
	for i, one := range all {
		entry, _ := one.(map[string]any)
		if inner, _ := entry["hooks"].([]any); len(inner) == 1 {
			entry, _ = inner[0].(map[string]any)
		}
		command, _ := entry["command"].(string)
		if _, ok := programOfHook(command, p.client.ID); ok || command != "" && command == p.command {
			at, commands = append(at, i), append(commands, command)
		}
	}
	return at, commands
}

// entry is what get returns when all hooks are there.
func (p hookPlace) entry() []jsonc.Member {
	entry := []jsonc.Member{{Name: "command", Value: p.command}}
	for _, e := range p.client.Events {
		text, _ := jsonc.Set(nil, p.element(e), "x") // into an empty text
		value, _, _, _ := jsonc.Get(text, "x")
		data, _ := json.Marshal(value)
		entry = append(entry, jsonc.Member{Name: e.Name, Value: string(data)})
	}
	return entry
}

// get returns the command of the hooks, and the entries of each event as a text.
func (p hookPlace) get(src []byte) (value any, line int, ok bool, err error) {
	hooks, line, _, err := jsonc.Get(src, "hooks")
	events, _ := hooks.(map[string]any)
	found := map[string]any{}
	for _, event := range slices.Sorted(maps.Keys(events)) {
		at, commands := p.own(events[event])
		if len(at) == 0 {
			continue
		}
		texts := make([]string, len(at))
		for i, n := range at {
			data, _ := json.Marshal(events[event].([]any)[n])
			texts[i] = string(data)
		}
		found[event] = strings.Join(texts, "\n")
		if found["command"] == nil {
			found["command"] = commands[0]
			_, line, _, _ = jsonc.Get(src, "hooks", event)
		}
	}
	return found, line, len(found) > 0, err
}

func (p hookPlace) set(src []byte, _ []jsonc.Member) (_ []byte, err error) {
	defer fault.Caught(&err)
	src, _, err = p.remove(src, p.kept(src)+1)
	fault.Check(err)
	if kept := p.kept(src); p.client.ID == "cursor" && kept&3 == 0 {
		src = fault.Must(jsonc.Set(src, 1, "version"))
	}
	for _, e := range p.client.Events {
		src = fault.Must(jsonc.Prepend(src, p.element(e), "hooks", e.Name))
	}
	return src, nil
}

// kept has a bit for each part of the file around the entries that exists: the hooks, the version and the list of each event.
func (p hookPlace) kept(src []byte) (bits int) {
	paths := [][]string{{"hooks"}, {"version"}}
	for _, e := range p.client.Events {
		paths = append(paths, []string{"hooks", e.Name})
	}
	for i, path := range paths {
		if _, _, ok, err := jsonc.Get(src, path...); ok && err == nil {
			bits |= 1 << i
		}
	}
	return bits
}

// remove takes out the entries, and what prune, one more than the bits of kept, does not keep, when it is empty.
func (p hookPlace) remove(src []byte, prune int) (_ []byte, was bool, err error) {
	defer fault.Caught(&err)
	kept := prune - 1
	hooks, _, _, err := jsonc.Get(src, "hooks")
	fault.Check(err)
	events, _ := hooks.(map[string]any)
	for _, event := range slices.Sorted(maps.Keys(events)) {
		at, _ := p.own(events[event])
		for _, n := range slices.Backward(at) {
			src, was = fault.Must(jsonc.Drop(src, n, "hooks", event)), true
		}
		bit := slices.IndexFunc(p.client.Events, func(e agenthook.Event) bool { return e.Name == event }) + 2
		if list, _ := events[event].([]any); len(at) == 0 || len(at) < len(list) || bit >= 2 && kept>>bit&1 == 1 {
			continue
		}
		src, _, err = jsonc.Remove(src, 1-kept&1, "hooks", event)
		fault.Check(err)
	}
	if _, _, left, err := jsonc.Get(src, "hooks"); was && err == nil && !left && p.client.ID == "cursor" && kept&2 == 0 {
		src, _, err = jsonc.Remove(src, 0, "version")
		return src, was, err
	}
	return src, was, nil
}

//go:embed editor/hooks
var hookTemplates embed.FS

// hookFileText is the text of a file of hooks that is this program's as a whole.
func hookFileText(c *agenthook.Client, program, command string) string {
	text, err := hookTemplates.ReadFile("editor/hooks/" + c.ID + path.Ext(c.Project))
	if err != nil {
		panic(err) // every such client has one
	}
	return strings.NewReplacer(`"PROGRAM"`, jsonc.Quote(program), `"COMMAND"`, jsonc.Quote(command)).Replace(string(text))
}

// Where a file has the command line of a hook, and a plugin its program, as JSON strings.
var (
	commandMember = pattern.Late(`"command":("(?:[^"\\]|\\.)*")`)
	pluginProgram = pattern.Late(`(?m)^\s*const program = (".*")\s*$`)
)

// hookCommands returns the command lines of this program's hooks in a file with those bytes, each once.
func hookCommands(c *agenthook.Client, src []byte) (lines []string) {
	quoted := pluginProgram()
	if c.Form != agenthook.Plugin {
		hooks, _, _, _ := jsonc.Get(src, "hooks")
		src, _ = json.Marshal(hooks)
		quoted = commandMember()
	}
	for _, found := range quoted.FindAllSubmatch(src, -1) {
		var line string
		if json.Unmarshal(found[1], &line) == nil && c.Form == agenthook.Plugin {
			line = Surroundings{}.hookLine(line, c.ID)
		}
		if _, ok := programOfHook(line, c.ID); ok && !slices.Contains(lines, line) {
			lines = append(lines, line)
		}
	}
	return lines
}
