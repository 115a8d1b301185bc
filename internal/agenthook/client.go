// Package agenthook knows the hooks of coding agents: their files, events, input and answers. internal/setup installs them.
package agenthook

import "slices"

// Kind is what an event means to this program, "" when it means nothing.
type Kind string

const (
	Start      Kind = "start"      // a session begins
	Resume     Kind = "resume"     // an earlier session goes on
	Compacted  Kind = "compacted"  // a session goes on after its context was compacted
	Compacting Kind = "compacting" // the context is about to be compacted
	File       Kind = "file"       // the agent read or edited files, or ran a command
	End        Kind = "end"        // a session ends; in clients without such an event, a turn
)

// Event is one of a client's events that setup installs a hook for.
type Event struct {
	Name    string
	Kind    Kind   // Start stands for Resume and Compacted too: the input tells which
	Matcher string // the tools that it is for, "" for an event without tools
}

// Form is how a client's file has its hooks.
type Form string

const (
	Groups Form = "groups" // hooks.EVENT is a list of {matcher, hooks: [{type, command, timeout}]}
	Flat   Form = "flat"   // hooks.EVENT is a list of {command}
	Owned  Form = "owned"  // the whole file is this program's: a list of hooks
	Plugin Form = "plugin" // the whole file is this program's: a JavaScript module
)

// Client is a coding agent that has hooks.
type Client struct {
	ID, Name string
	User     string // its file in the home folder, as internal/setup writes paths; "" when it documents none
	Project  string // its file in a project
	Form     Form
	Events   []Event
	Trust    string // what the user does before the hooks run, "" for nothing
	// ProjectTrust is what the user does besides, before those of a project's file run.
	ProjectTrust string
	answer       answerForm
}

// answerForm is how a client takes a text for its model: mostly by a key of a JSON object.
type answerForm string

const (
	noAnswer     answerForm = ""                   // it passes nothing on
	plainText    answerForm = "text"               // no JSON
	specific     answerForm = "hookSpecificOutput" // an object with the event and the text
	snakeContext answerForm = "additional_context"
	camelContext answerForm = "additionalContext"
)

// Clients are the clients with documented hooks, in the order of messages.
var Clients = []*Client{
	{
		ID: "claude-code", Name: "Claude Code", Form: Groups, answer: specific,
		User: "CLAUDE_CONFIG_DIR:.claude/settings.json", Project: ".claude/settings.json",
		Events: []Event{
			{Name: "SessionStart", Kind: Start}, {Name: "PostToolUse", Kind: File, Matcher: "Read|Edit|MultiEdit|Write|NotebookEdit"},
			{Name: "PreCompact", Kind: Compacting}, {Name: "SessionEnd", Kind: End},
		},
		ProjectTrust: "Claude Code runs a project's hooks in a folder that you trust",
	},
	{
		ID: "cursor", Name: "Cursor", Form: Flat, answer: snakeContext,
		User: "~/.cursor/hooks.json", Project: ".cursor/hooks.json",
		Events: []Event{
			{Name: "sessionStart", Kind: Start}, {Name: "postToolUse", Kind: File, Matcher: "Read|Write"},
			{Name: "preCompact", Kind: Compacting}, {Name: "sessionEnd", Kind: End},
		},
		ProjectTrust: "Cursor runs a project's hooks in a workspace that you trust",
	},
	{
		// With a capital the input has its event's name. Of the events at the end, only Stop has the transcript.
		ID: "copilot-cli", Name: "Copilot CLI", Form: Owned, answer: camelContext,
		User: "COPILOT_HOME:.copilot/hooks/sdd.json", Project: ".github/hooks/sdd.json",
		Events: []Event{
			{Name: "SessionStart", Kind: Start}, {Name: "PostToolUse", Kind: File},
			{Name: "PreCompact", Kind: Compacting}, {Name: "Stop", Kind: End},
		},
		ProjectTrust: "Copilot CLI runs a project's hooks in a folder that you trust",
	},
	{
		ID: "codex", Name: "Codex", Form: Groups, answer: specific,
		User: "CODEX_HOME:.codex/hooks.json", Project: ".codex/hooks.json",
		Events: []Event{
			{Name: "SessionStart", Kind: Start}, {Name: "PostToolUse", Kind: File, Matcher: "apply_patch"},
			{Name: "PreCompact", Kind: Compacting}, {Name: "SessionEnd", Kind: End},
		},
		Trust:        "Codex skips new and changed hooks until you trust them: type /hooks in Codex",
		ProjectTrust: "it reads a project's hooks in a folder that it trusts",
	},
	{
		// PreCompress comes at each turn, whether or not the context is compressed, and the transcript stays whole: the end is enough.
		ID: "gemini-cli", Name: "Gemini CLI", Form: Groups, answer: specific,
		User: "~/.gemini/settings.json", Project: ".gemini/settings.json",
		Events: []Event{
			{Name: "SessionStart", Kind: Start}, {Name: "AfterTool", Kind: File, Matcher: "read_file|read_many_files|write_file|replace"},
			{Name: "SessionEnd", Kind: End},
		},
		ProjectTrust: "Gemini CLI runs a project's hooks in a folder that you trust; /hooks shows them",
	},
	{
		// A plugin that calls the command with events of its own form.
		ID: "opencode", Name: "opencode", Form: Plugin, answer: plainText,
		User: "xdg:opencode/plugins/sdd.js", Project: ".opencode/plugins/sdd.js",
		Events: []Event{{Name: "start", Kind: Start}, {Name: "file", Kind: File}},
	},
	{
		// Cascade shows an answer to the user and not to its model, so the only hook is that of the transcript.
		ID: "windsurf", Name: "Windsurf", Form: Flat, answer: noAnswer,
		User: "~/.codeium/windsurf/hooks.json", Project: ".windsurf/hooks.json",
		Events: []Event{{Name: "post_cascade_response_with_transcript", Kind: End}},
	},
	{
		// Kiro documents no transcript, and an answer only at the start.
		ID: "kiro", Name: "Kiro", Form: Owned, answer: plainText,
		Project: ".kiro/hooks/sdd.json",
		Events:  []Event{{Name: "SessionStart", Kind: Start}},
	},
}

// Named returns the client with that id, nil when it has no documented hooks.
func Named(id string) *Client {
	if i := slices.IndexFunc(Clients, func(c *Client) bool { return c.ID == id }); i >= 0 {
		return Clients[i]
	}
	return nil
}
