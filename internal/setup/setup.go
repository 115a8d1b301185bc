package setup

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/agenthook"
	"sdd/internal/fault"
)

// ChangeState is what happened to a file, or in a dry run would happen.
type ChangeState string

const (
	Added       ChangeState = "added"
	Updated     ChangeState = "updated" // what this program added earlier is now up to date
	Removed     ChangeState = "removed"
	Unchanged   ChangeState = "unchanged"
	Absent      ChangeState = "absent"      // there is nothing to remove
	ByHand      ChangeState = "by_hand"     // the user wrote it, so it stays
	Left        ChangeState = "left"        // the file cannot be read or written, so it stays
	Unsupported ChangeState = "unsupported" // the client has no such file
	Manual      ChangeState = "manual"      // the user adds the lines
)

// Change is what happened to one file of others, or in a dry run would happen.
type Change struct {
	For     string      `json:"client"` // its name, or "instructions"
	Scope   Scope       `json:"scope"`
	File    string      `json:"file"` // as its client reads it, absolute; "" when there is none
	Shown   string      `json:"-"`    // for people
	State   ChangeState `json:"state"`
	Changed bool        `json:"changed"` // the file was written
	Line    int         `json:"line"`    // of an entry by hand, or of what cannot be read; else 0
	Text    string      `json:"text"`    // details, "" when the state is enough
	Fix     string      `json:"fix"`     // what to do, "" when there is nothing
	Lines   []string    `json:"lines"`   // what to add or run by hand
	Diff    string      `json:"diff"`    // unified, "" when nothing differs
	Backup  string      `json:"backup"`  // the file with the earlier content, "" when there was none
}

type Changes struct {
	DryRun  bool     `json:"dry_run"`
	Root    string   `json:"root"` // the project's folder
	Changes []Change `json:"changes"`
}

// Failed reports whether a file could not be read or written, or the clients have none of what was to be set up.
func (c Changes) Failed() bool {
	possible := slices.ContainsFunc(c.Changes, func(x Change) bool { return x.State != Unsupported })
	return len(c.Changes) > 0 && !possible || slices.ContainsFunc(c.Changes, func(x Change) bool { return x.State == Left })
}

// Request is what to set up or, with Remove, to take out.
type Request struct {
	Root         string   // the project's folder, absolute
	Clients      []string // empty: those that are found; to remove: all
	Scope        Scope    // "": the user's file; to remove: both
	Remove       bool
	DryRun       bool
	Instructions bool     // the block for agents; without Clients nothing else
	Hooks        bool     // the hooks of agents and nothing else; Clients may name any of HookClientNames
	Commands     bool     // the prompts as commands of the clients; without Clients, or to remove, nothing else
	Editors      []string // that start the language server; without Clients nothing else
	Version      string   // of this program, for the extension of an editor
}

func (r Request) scopes() []Scope {
	if r.Scope != "" {
		return []Scope{r.Scope}
	}
	return []Scope{UserScope, ProjectScope}
}

// only reports whether the request is about no entries.
func (r Request) only() bool {
	return len(r.Clients) == 0 && (r.Instructions || r.Commands || len(r.Editors) > 0) || r.Remove && r.Commands
}

// Apply adds this program to the files of MCP clients, or removes it and keeps all other bytes. For a file that cannot be written the
// Change has the lines to add by hand. An error means a wrong request, or a temporary program.
func (s Surroundings) Apply(r Request) (Changes, error) {
	out := Changes{DryRun: r.DryRun, Root: r.Root, Changes: []Change{}}
	if r.Scope != "" && r.Scope != UserScope && r.Scope != ProjectScope {
		return out, fault.New(fault.Invalid, "the scope %q is not known", string(r.Scope)).For("scope").With("user or project")
	}
	w := s.worker(r.DryRun)
	defer w.end()
	err := w.apply(r)
	out.Changes = append(out.Changes, w.done...)
	return out, err
}

func (w *worker) apply(r Request) (err error) {
	defer fault.Caught(&err)
	if r.Hooks {
		return w.applyHooks(r)
	}
	s := w.s
	chosen := fault.Must(named("client", "", clients, r.Clients))
	if len(r.Editors) > 0 && r.Scope == ProjectScope {
		return fault.New(fault.Invalid, "--editor does not go with --project: the files of an editor are yours").For("editor")
	}
	edited := fault.Must(named("editor", "--editor ", editors, r.Editors))
	if r.Remove {
		w.removeAll(r, chosen, edited)
		return nil
	}
	if r.Scope != ProjectScope && (!r.only() || len(r.Editors) > 0) { // the user's files get the path of this program
		fault.Check(lasting(s.Program, s.Home))
	}
	if len(chosen) == 0 && (r.Commands || !r.only()) {
		chosen = slices.DeleteFunc(slices.Clone(clients), func(c *client) bool { return !c.present(s) && !c.usedIn(r.Root) })
		if len(chosen) == 0 {
			return fault.New(fault.NotFound, "no MCP client is found on this machine").For("client").
				With("name the one that you use: " + strings.Join(ClientNames(), ", "))
		}
	}
	scope := cmp.Or(r.Scope, UserScope)
	for _, c := range chosen {
		found := len(r.Clients) == 0 // not named by the user: no messages about what the client does not support
		if !r.only() && !(found && scope == ProjectScope && c.project == "") {
			w.add(s.serverPiece(c, scope, r.Root))
		}
		if r.Commands && (c.commands != nil || !found) {
			w.add(s.commandPieces(c, scope, r.Root)...)
		}
	}
	for _, e := range edited {
		w.add(s.editorPiece(e, r.Version))
	}
	if r.Instructions {
		w.add(s.instructionPieces(r.Root, instructionFiles(r.Root))...)
	}
	return nil
}

// removeAll takes out of clients and editors what a request names, of all without a name.
func (w *worker) removeAll(r Request, chosen []*client, edited []*editor) {
	s, all, entries := w.s, len(r.Clients) == 0, !r.only()
	if all {
		chosen = clients
	}
	if !entries && !r.Commands {
		chosen = nil
	}
	for _, c := range chosen {
		w.going = append(w.going, c.id)
	}
	if entries { // before the servers, which came first
		w.removeHooks(r)
	}
	for _, c := range chosen {
		before := len(w.done)
		for _, scope := range r.scopes() {
			if entries {
				w.remove(s.serverPiece(c, scope, r.Root))
			}
			w.remove(s.commandPieces(c, scope, r.Root)...)
		}
		if !all {
			w.reportAbsent(before, c.id, UserScope)
		}
	}
	if all && entries && r.Scope != UserScope {
		w.removeNoted(s.instructionPieces(r.Root, nil)[0])
	}
	if all && entries && r.Scope != ProjectScope {
		for _, e := range editors {
			w.removeNoted(s.editorPiece(e, r.Version))
		}
	}
	for _, e := range edited {
		before := len(w.done)
		w.remove(s.editorPiece(e, r.Version))
		w.reportAbsent(before, e.user(), UserScope)
	}
	if r.Instructions {
		before := len(w.done)
		w.remove(s.instructionPieces(r.Root, nil)...)
		w.reportAbsent(before, instructionsName, ProjectScope)
	}
}

func (w *worker) applyHooks(r Request) error {
	s := w.s
	if r.Commands || r.Instructions || len(r.Editors) > 0 {
		return fault.New(fault.Invalid, "--hooks goes without --commands, --instructions and --editor").For("hooks").
			With("run sdd setup once for each")
	}
	for _, name := range r.Clients {
		if agenthook.Named(name) == nil {
			return fault.New(fault.Invalid, "no hooks are known of the client %q", name).For("client").
				With(cmp.Or(meant("--hooks ", name, HookClientNames()), "clients with hooks are "+strings.Join(HookClientNames(), ", ")))
		}
	}
	if r.Remove {
		w.removeHooks(r)
		for _, name := range r.Clients {
			if user := hooksPrefix + name; !slices.ContainsFunc(w.done, func(c Change) bool { return c.For == user }) {
				w.reportAbsent(len(w.done), user, cmp.Or(r.Scope, UserScope))
			}
		}
		return nil
	}
	scope := cmp.Or(r.Scope, UserScope)
	if scope == UserScope {
		fault.Check(lasting(s.Program, s.Home))
	}
	for _, c := range agenthook.Clients {
		named := slices.Contains(r.Clients, c.ID)
		if named || len(r.Clients) == 0 && s.hasHookClient(c, r.Root) && agentHookFile(s, c, scope, r.Root) != "" {
			w.add(s.hookPiece(c, scope, r.Root))
		}
	}
	if len(w.done) == 0 {
		return fault.New(fault.NotFound, "no client with hooks is found on this machine").For("client").
			With("name the one that you use: " + strings.Join(HookClientNames(), ", "))
	}
	return nil
}

// removeHooks removes the hooks of the clients that a request names, of all without a name.
func (w *worker) removeHooks(r Request) {
	for _, c := range agenthook.Clients {
		for _, scope := range r.scopes() {
			if len(r.Clients) == 0 || slices.Contains(r.Clients, c.ID) {
				w.remove(w.s.hookPiece(c, scope, r.Root))
			}
		}
	}
}

func (c Changes) Lines() []string {
	var out []string
	for _, x := range c.Changes {
		place, backup := x.Shown, ""
		if x.Line > 0 {
			place = fmt.Sprintf("%s:%d", x.Shown, x.Line)
		}
		if x.Backup != "" && x.State == Added {
			backup = "what was there before is kept in " + x.Backup
		}
		verb := cmp.Or(verbs[x.State], string(x.State))
		if c.DryRun && (x.State == Added || x.State == Updated || x.State == Removed) {
			verb = "would be " + verb
		}
		out = append(out, strings.TrimRight(fmt.Sprintf("%-16s %-17s %s", verb, x.For, place), " "))
		for _, text := range []string{x.Text, x.Fix, backup} {
			if text != "" {
				out = append(out, strings.Repeat(" ", 17)+text)
			}
		}
		if len(x.Lines) > 0 {
			out = append(append(append(out, ""), x.Lines...), "")
		}
	}
	return out
}

// verbs are the states whose words for people are others.
var verbs = map[ChangeState]string{
	ByHand: "by hand", Left: "left alone", Absent: "nothing there", Manual: "add by hand", Unsupported: "not possible",
}
