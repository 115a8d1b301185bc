package agenthook

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Input is what a client wrote to a hook. All of it is the client's word: a session may have any characters, a path may lead anywhere.
type Input struct {
	Kind       Kind     // "" for an event that means nothing here, such as one of a later version of the client
	Event      string   // the client's name of it
	Session    string   // the client's id of the session, "" when it gives none
	Transcript string   // the path of the session's transcript, "" when it gives none
	Dir        string   // the folder that the agent works in
	Files      []string // the paths that were read or edited: absolute, or relative to Dir
	Edit       bool     // the tool changes files
	Text       string   // the new text of an edit, or the command
}

// kinds are the events of all clients in small letters and without underscores.
var kinds = map[string]Kind{
	"sessionstart": Start, "agentspawn": Start, "start": Start, // Kiro before version 3; our plugin of opencode
	"posttooluse": File, "aftertool": File, "postreadcode": File, "postwritecode": File, "postruncommand": File, "file": File,
	"precompact": Compacting, "precompress": Compacting, "compacting": Compacting,
	"sessionend": End, "stop": End, "agentstop": End, "postcascaderesponsewithtranscript": End, "end": End,
}

// Parse reads what a client wrote to a hook's standard input. Fields of another type count as missing. An event that is not known gives a
// zero Kind and no error; an error means that the client has no documented hooks or that stdin is no JSON object.
func Parse(client string, stdin []byte) (Input, error) {
	c := Named(client)
	if c == nil {
		return Input{}, fmt.Errorf("the client %q has no documented hooks", client)
	}
	p, err := read(bytes.TrimPrefix(stdin, []byte("\xef\xbb\xbf")))
	if err != nil {
		return Input{}, fmt.Errorf("what %s wrote to the hook is no JSON object: %w", c.Name, err)
	}
	info := p.object("toolinfo") // Windsurf
	in := Input{
		Event:      p.text("hookeventname", "agentactionname"),            // the second of Windsurf
		Session:    p.text("sessionid", "conversationid", "trajectoryid"), // of Cursor, of Windsurf
		Transcript: cmp.Or(p.text("transcriptpath"), info.text("transcriptpath")),
		Dir:        cmp.Or(p.text("cwd", "workspaceroots"), info.text("cwd")), // the second of Cursor
	}
	in.Kind = kinds[plainName(in.Event)]
	switch {
	case in.Kind == Start && p.text("source") == "resume":
		in.Kind = Resume
	case in.Kind == Start && p.text("source") == "compact":
		in.Kind = Compacted
	case in.Kind == File:
		used := p.object("toolinput")
		if used == nil {
			used = info
		}
		in.Files, in.Text = used.files(), used.newText()
		in.Edit = edits(p.text("toolname") + in.Event)
	}
	in.Dir, in.Transcript = local(in.Dir), local(in.Transcript)
	for i, file := range in.Files {
		in.Files[i] = local(file)
	}
	return in, nil
}

// Caller returns the client whose event stdin is. Copilot CLI also runs Claude Code's hooks: its events have a time and no transcript.
func Caller(client string, stdin []byte) string {
	p, err := read(stdin)
	if client == "claude-code" && err == nil && p.text("timestamp") != "" && p.text("transcriptpath") == "" {
		return "copilot-cli"
	}
	return client
}

// fields are the fields of a JSON object by their plain names: clients and their tools differ in how they write a name.
type fields map[string]any

func plainName(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }

func read(src []byte) (fields, error) {
	var all map[string]any
	err := json.Unmarshal(src, &all)
	return plainFields(all), err
}

func plainFields(all map[string]any) fields {
	if all == nil {
		return nil
	}
	f := fields{}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		f[plainName(name)] = all[name]
	}
	return f
}

// texts returns the texts of the fields of those names, which may be lists of texts.
func (f fields) texts(names ...string) (out []string) {
	for _, name := range names {
		list, ok := f[name].([]any)
		if !ok {
			list = []any{f[name]}
		}
		for _, one := range list {
			if text, _ := one.(string); text != "" {
				out = append(out, text)
			}
		}
	}
	return out
}

func (f fields) text(names ...string) string { return append(f.texts(names...), "")[0] }

// object returns a field that is an object, or one in a string.
func (f fields) object(name string) fields {
	if text := f.text(name); text != "" {
		object, _ := read([]byte(text))
		return object
	}
	all, _ := f[name].(map[string]any)
	return plainFields(all)
}

// patch is what apply_patch gets, or a command.
func (f fields) patch() string { return f.text("patch", "patchtext", "command") }

func (f fields) files() (out []string) {
	all := f.texts("filepath", "absolutepath", "notebookpath", "path", "paths", "include")
	for line := range strings.Lines(f.patch()) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} { // of apply_patch
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok {
				all = append(all, file)
			}
		}
	}
	for _, file := range all {
		if !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	return out
}

// newText is the text that a tool writes, or the command that it runs.
func (f fields) newText() string {
	parts := f.texts("content", "contents", "filetext", "newstring", "newstr", "newsource")
	edits, _ := f["edits"].([]any)
	for _, one := range edits {
		edit, _ := one.(map[string]any)
		parts = append(parts, plainFields(edit).texts("newstring")...)
	}
	isPatch := f.text("patch", "patchtext") != "" || strings.Contains(f.text("command"), "*** Begin Patch")
	for line := range strings.Lines(cmp.Or(f.patch(), f.text("commandline"))) {
		added, ok := strings.CutPrefix(line, "+")
		if added = strings.TrimRight(added, "\r\n"); added != "" && (ok || !isPatch) {
			parts = append(parts, added)
		}
	}
	return strings.Join(parts, "\n")
}

// edits reports whether a tool or an event of that name changes files.
func edits(name string) bool {
	name = strings.ToLower(name)
	verbs := []string{"edit", "write", "create", "replace", "patch"}
	return slices.ContainsFunc(verbs, func(verb string) bool { return strings.Contains(name, verb) })
}

// local returns the path as this machine writes it: Cursor on Windows writes /c:/folder.
func local(path string) string {
	if len(path) > 3 && path[0] == '/' && path[2] == ':' && path[3] == '/' {
		return path[1:]
	}
	return path
}
