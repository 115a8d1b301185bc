package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/codesearch"
	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/prompt"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
	"sdd/internal/transfer"
)

// What a person can ask for with one word: the texts of package prompt, filled in from the store.

func (c core) prompts() []Prompt {
	return []Prompt{c.explorePrompt(), c.briefPrompt(), c.reviewPrompt(), c.phasePrompt(), c.handoffPrompt()}
}

const maxArgument = 500 // characters of what a person fills in

// filled is an argument as a text contains it: on one line, in quotes.
func filled(text string) string { return fmt.Sprintf("%q", cut(record.OneLine(text), maxArgument)) }

// oneMessage is a prompt of one message.
func oneMessage(text string) []Message { return []Message{{Text: text}} }

// offered is a prompt as it is listed; complete offers values for its arguments.
func offered(p prompt.Prompt, complete map[string]Completer, get func(ctx context.Context, args map[string]string) (parts map[string]string, err error)) Prompt {
	out := Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
	for _, a := range p.Arguments {
		out.Arguments = append(out.Arguments, Argument{Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required, Complete: complete[a.Name]})
	}
	out.Get = func(ctx context.Context, args map[string]string) ([]Message, error) {
		parts, err := get(ctx, args)
		if err != nil {
			return nil, err
		}
		return oneMessage(p.Fill(parts)), nil
	}
	return out
}

func (c core) explorePrompt() Prompt {
	return offered(prompt.Named("explore"), map[string]Completer{"title": c.titles}, func(_ context.Context, args map[string]string) (map[string]string, error) {
		return map[string]string{"title": filled(args["title"])}, nil
	})
}

func (c core) briefPrompt() Prompt {
	return offered(prompt.Named("brief"), nil, func(ctx context.Context, args map[string]string) (map[string]string, error) {
		if strings.TrimSpace(args["question"]) == "" {
			return map[string]string{"told": ""}, nil
		}
		told, err := c.Answers.Brief(ctx, answer.Query{Query: args["question"], Mode: answer.Route, ReadOnly: true, Tool: "brief"})
		if err != nil {
			return nil, err
		}
		return map[string]string{"told": fmt.Sprintf("\nFor this question sdd_context was called already:\n\n%s\n%s\n",
			markdown.Quote(told.Context, store.Folder, 1), cut(args["question"], maxArgument))}, nil
	})
}

func (c core) reviewPrompt() Prompt {
	whats := prompt.Reviewed
	return offered(prompt.Named("review-learnings"), map[string]Completer{"what": Values(whats...)}, func(_ context.Context, args map[string]string) (map[string]string, error) {
		what := strings.ToLower(strings.TrimSpace(args["what"]))
		if what != "" && !slices.Contains(whats, what) {
			return nil, fault.New(fault.Invalid, "what is %s", filled(what)).For("what").With("allowed: " + strings.Join(whats, ", "))
		}
		return map[string]string{"reviews": prompt.ReviewSteps(what)}, nil
	})
}

func (c core) phasePrompt() Prompt {
	phases := prompt.Phases()
	return offered(prompt.Named("phase"), map[string]Completer{"phase": Values(phases...), "about": c.titles}, func(_ context.Context, args map[string]string) (map[string]string, error) {
		phase := strings.ToLower(strings.TrimSpace(args["phase"]))
		if !slices.Contains(phases, phase) {
			return nil, fault.New(fault.Invalid, "phase is %s", filled(phase)).For("phase").With("allowed: " + strings.Join(phases, ", "))
		}
		about := ""
		if args["about"] != "" {
			about = ", about " + filled(args["about"])
		}
		reading := codesearch.PhaseText(phase, c.Code.Strategy())
		if reading == "" {
			reading = prompt.NoCode
		}
		return map[string]string{"phase": phase, "about": about, "reading": reading}, nil
	})
}

// promptTokens is more than what the text around a document takes.
const promptTokens = 500

func (c core) handoffPrompt() Prompt {
	complete := map[string]Completer{"record": c.handed, "to": Values(transfer.HandoffTargets()...)}
	return offered(prompt.Named("handoff"), complete, func(ctx context.Context, args map[string]string) (map[string]string, error) {
		from := transfer.HandoffSources{Store: c.Store, Index: c.Index, Decisions: c.Decisions}
		out, err := transfer.HandOff(ctx, from, transfer.HandoffAsk{ID: args["record"], To: args["to"], DryRun: true})
		if err != nil {
			return nil, err
		}
		do := "Give it to me as it is, or use it where that pipeline asks for it."
		switch {
		case out.File != "" && out.Action == "unchanged":
			do = fmt.Sprintf("It is in %s already.", out.File)
		case out.File != "" && out.Action == "kept":
			do = fmt.Sprintf("%s says something else already, and nothing writes over it: tell me what is there and what is new.", out.File)
		case out.File != "":
			do = fmt.Sprintf("Run `sdd handoff %s --to %s`, which writes it to %s.", out.Source, out.To, out.File)
		}
		text := tokens.Prefix(out.Text, partTokens-promptTokens)
		document := markdown.Quote(text, out.Source, 0)
		if len(text) < len(out.Text) {
			document += fmt.Sprintf("\nThat is its beginning, %d of %d bytes: `sdd handoff %s --to %s --dry-run` prints it whole.\n", len(text), len(out.Text), out.Source, out.To)
		}
		return map[string]string{"record": out.Source, "to": out.To, "document": document, "do": do, "next": out.Next}, nil
	})
}

// titles completes the titles of explorations.
func (c core) titles(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []string
	for _, e := range c.slugs() {
		out = append(out, record.OneLine(e.Title))
	}
	slices.Sort(out)
	return out, nil
}

// handed completes what can be handed off.
func (c core) handed(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	if err := c.Index.Refresh(ctx); err != nil {
		return nil, err
	}
	var out []string
	for _, e := range c.Index.Entries() {
		if e.Kind == record.Exploration || e.Kind == record.Decision {
			out = append(out, e.ID)
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
