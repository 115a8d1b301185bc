// Package prompt contains texts that a user can send to an agent with one command. The MCP server fills them in and sends
// them; sdd setup --commands writes the same texts into the clients' files of commands.
package prompt

import (
	"embed"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/codesearch"
	"sdd/internal/transfer"
)

//go:embed texts
var texts embed.FS

func textOf(name string) string {
	src, err := texts.ReadFile("texts/" + name + ".txt")
	if err != nil {
		panic(err) // names are fixed
	}
	return string(src)
}

// Prompt is a text in texts/NAME.txt. In it, {name} is the place of an argument, or of a part that only a server knows.
type Prompt struct {
	Name, Title, Description string
	Arguments                []Argument
	inFile                   map[string]string // for a file: how the agent finds such a part itself
}

// Argument is an argument that a user may give with a prompt.
type Argument struct {
	Name, Title, Description string
	Required                 bool
}

// Fill returns the text with the given parts in their places. It leaves the places of other parts unchanged.
func (p Prompt) Fill(parts map[string]string) string { return fill(textOf(p.Name), parts) }

func fill(text string, parts map[string]string) string {
	var pairs []string
	for name, part := range parts {
		pairs = append(pairs, "{"+name+"}", part)
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// File returns the text for a file of commands: it begins with a list of the arguments, and <name> is the place of one. given
// describes where the agent finds the arguments of the command.
func (p Prompt) File(given string) string {
	parts := map[string]string{}
	var b strings.Builder
	fmt.Fprintf(&b, "Given with this command: %s\n\n", given)
	for _, a := range p.Arguments {
		parts[a.Name] = "<" + a.Name + ">"
		otherwise := "it may be left out"
		if a.Required {
			otherwise = "ask me when it is not given"
		}
		fmt.Fprintf(&b, "- <%s>: %s (%s)\n", a.Name, a.Description, otherwise)
	}
	for name, text := range p.inFile {
		for _, a := range p.Arguments {
			text = strings.ReplaceAll(text, "{"+a.Name+"}", "<"+a.Name+">")
		}
		parts[name] = text
	}
	b.WriteString("\n" + p.Fill(parts))
	return b.String()
}

// Named returns the prompt of that name, which must be one of [All].
func Named(name string) Prompt {
	all := All()
	return all[slices.IndexFunc(all, func(p Prompt) bool { return p.Name == name })]
}

// Phases are those of the pipelines that begin where an exploration ends.
func Phases() []string {
	return []string{"explore", "propose", "spec", "design", "tasks", "apply", "verify", "archive"}
}

// Reviewed are the kinds of records that the user can go through, in that order.
var Reviewed = []string{"candidates", "learnings", "facts"}

// ReviewSteps describes how to go through one kind of records, or through all when what is "".
func ReviewSteps(what string) string {
	var b strings.Builder
	for _, kind := range Reviewed {
		if what == "" || what == kind {
			fmt.Fprintf(&b, "\n- %s: %s", kind, textOf("steps-"+kind))
		}
	}
	return b.String()
}

// NoCode is the step of a phase that reads no code.
const NoCode = "This phase reads no code: work from the records, and ask me about what they leave open."

// All returns the prompts, in the order in which they are listed.
func All() []Prompt {
	var reading []string
	for _, phase := range Phases() {
		if codesearch.ReadsCode(phase) {
			reading = append(reading, phase)
		}
	}
	return []Prompt{
		{
			Name: "explore", Title: "Explore before building", Description: "An interview: six questions in order, saved as it goes",
			Arguments: []Argument{{Name: "title", Title: "Title", Description: "What it is about; a stored title goes on there", Required: true}},
		},
		{
			Name: "brief", Title: "Brief me", Description: "How to work with what this project knows, and what it knows about a question",
			Arguments: []Argument{{Name: "question", Title: "Question", Description: "What you want to know or do; the context for it comes along"}},
			inFile:    map[string]string{"told": "\nIs there a question, call sdd_context with it now, then answer it:\n\n{question}\n"},
		},
		{
			Name: "review-learnings", Title: "Review what is kept",
			Description: "Go through candidates, learnings and stale facts, and decide on each",
			Arguments:   []Argument{{Name: "what", Title: "What", Description: "Only these: " + strings.Join(Reviewed, ", ")}},
			inFile:      map[string]string{"reviews": ReviewSteps("")},
		},
		{
			Name: "phase", Title: "Begin a phase",
			Description: "What to read before a phase of a pipeline, how to search code in it, and what to keep after it",
			Arguments: []Argument{
				{Name: "phase", Title: "Phase", Description: "One of " + strings.Join(Phases(), ", "), Required: true},
				{Name: "about", Title: "About", Description: "The change that it is about"},
			},
			inFile: map[string]string{
				"about": ", about {about}",
				"reading": "Is it one of " + strings.Join(reading, ", ") + ": to read code, call sdd_code with that phase and what you want to know, " +
					"before opening any file. " +
					"It returns just the lines; read on only at the ranges it names. Else: " + strings.ToLower(NoCode[:1]) + NoCode[1:],
			},
		},
		{
			Name: "handoff", Title: "Hand off", Description: "The first document of a pipeline, made of an exploration or decision",
			Arguments: []Argument{
				{Name: "record", Title: "Record", Description: "An exploration or decision, such as explore/user-auth", Required: true},
				{Name: "to", Title: "To",
					Description: "One of " + strings.Join(transfer.HandoffTargets(), ", ") + "; by default the pipeline that is in use"},
			},
			inFile: map[string]string{
				"document": "What `sdd handoff {record} --to {to} --dry-run` prints (without --to where none is given). Run it now.\n",
				"do": "Where it names a file that it would create, run it without --dry-run: that writes the file. " +
					"Where that file says something else already, nothing writes over it: tell me what is there and what is new. " +
					"Else give me the document as it is, or use it where that pipeline asks for it.",
				"next": "what that command says under next",
			},
		},
	}
}
