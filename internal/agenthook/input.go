package agenthook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
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

// payload has the fields of all clients' events.
type payload struct {
	HookEventName   string          `json:"hook_event_name"`
	AgentActionName string          `json:"agent_action_name"` // Windsurf
	SessionID       string          `json:"session_id"`
	ConversationID  string          `json:"conversation_id"` // Cursor
	TrajectoryID    string          `json:"trajectory_id"`   // Windsurf
	TranscriptPath  string          `json:"transcript_path"`
	Cwd             string          `json:"cwd"`
	WorkspaceRoots  []string        `json:"workspace_roots"` // Cursor
	Source          string          `json:"source"`
	ToolName        string          `json:"tool_name"`
	ToolInput       json.RawMessage `json:"tool_input"`
	ToolInfo        json.RawMessage `json:"tool_info"` // Windsurf
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
	var p payload
	if err := decode(bytes.TrimPrefix(stdin, []byte("\xef\xbb\xbf")), &p); err != nil {
		return Input{}, fmt.Errorf("what %s wrote to the hook is no JSON object: %w", c.Name, err)
	}
	in := Input{Event: first(p.HookEventName, p.AgentActionName), Session: first(p.SessionID, p.ConversationID, p.TrajectoryID),
		Transcript: p.TranscriptPath, Dir: p.Cwd}
	if in.Dir == "" && len(p.WorkspaceRoots) > 0 {
		in.Dir = p.WorkspaceRoots[0]
	}
	in.Kind = kinds[strings.ReplaceAll(strings.ToLower(in.Event), "_", "")]
	switch {
	case in.Kind == Start && p.Source == "resume":
		in.Kind = Resume
	case in.Kind == Start && p.Source == "compact":
		in.Kind = Compacted
	}
	var info tool
	if decode(p.ToolInfo, &info) == nil {
		in.Transcript = first(in.Transcript, info.TranscriptPath)
		in.Dir = first(in.Dir, info.Cwd)
	}
	if in.Kind == File {
		var used tool
		if decode(p.ToolInput, &used) != nil {
			used = info
		}
		in.Files, in.Text = used.files(), used.text()
		in.Edit = edits(p.ToolName + in.Event)
	}
	in.Dir, in.Transcript = local(in.Dir), local(in.Transcript)
	for i, file := range in.Files {
		in.Files[i] = local(file)
	}
	return in, nil
}

// Caller returns the client whose event stdin is, mostly the client. Copilot CLI also runs the hooks of Claude Code's file in a project:
// its starts and uses of tools have a time and, unlike Claude Code's, no transcript.
func Caller(client string, stdin []byte) string {
	var p struct {
		Timestamp      string `json:"timestamp"`
		TranscriptPath string `json:"transcript_path"`
	}
	if client == "claude-code" && decode(stdin, &p) == nil && p.Timestamp != "" && p.TranscriptPath == "" {
		return "copilot-cli"
	}
	return client
}

// decode reads a JSON object and ignores fields of another type. A tool's input may also be an object in a string.
func decode(src []byte, into any) error {
	var quoted string
	if json.Unmarshal(src, &quoted) == nil {
		src = []byte(quoted)
	}
	err := json.Unmarshal(src, into)
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) && other.Field != "" {
		return nil
	}
	return err
}

// tool has the arguments of all clients' tools for files and commands.
type tool struct {
	FilePath       string   `json:"file_path"`
	FilePathCamel  string   `json:"filePath"`
	AbsolutePath   string   `json:"absolute_path"`
	NotebookPath   string   `json:"notebook_path"`
	Path           string   `json:"path"`
	Paths          []string `json:"paths"`
	Include        []string `json:"include"`
	TranscriptPath string   `json:"transcript_path"`
	Cwd            string   `json:"cwd"`

	Content     string `json:"content"`
	Contents    string `json:"contents"`
	FileText    string `json:"file_text"`
	NewString   string `json:"new_string"`
	NewCamel    string `json:"newString"`
	NewStr      string `json:"new_str"`
	NewSource   string `json:"new_source"`
	Command     string `json:"command"`
	CommandLine string `json:"command_line"`
	Patch       string `json:"patch"`
	PatchText   string `json:"patchText"`
	Edits       []struct {
		NewString string `json:"new_string"`
	} `json:"edits"`
}

func (t tool) files() (out []string) {
	for _, file := range slices.Concat([]string{t.FilePath, t.FilePathCamel, t.AbsolutePath, t.NotebookPath, t.Path}, t.Paths, t.Include) {
		if file != "" && !slices.Contains(out, file) {
			out = append(out, file)
		}
	}
	for line := range strings.Lines(first(t.Patch, t.PatchText, t.Command)) {
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} { // of apply_patch
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), mark); ok && !slices.Contains(out, file) {
				out = append(out, file)
			}
		}
	}
	return out
}

func (t tool) text() string {
	parts := []string{t.Content, t.Contents, t.FileText, t.NewString, t.NewCamel, t.NewStr, t.NewSource}
	for _, e := range t.Edits {
		parts = append(parts, e.NewString)
	}
	for line := range strings.Lines(first(t.Patch, t.PatchText, t.Command, t.CommandLine)) {
		if added, ok := strings.CutPrefix(line, "+"); ok || t.patchless() {
			parts = append(parts, strings.TrimRight(added, "\r\n"))
		}
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}

// patchless reports whether the command is no patch.
func (t tool) patchless() bool {
	return t.Patch == "" && t.PatchText == "" && !strings.Contains(t.Command, "*** Begin Patch")
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

// first returns the first text that is not empty.
func first(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}
