package tools

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"sdd/internal/answer"
	"sdd/internal/codesearch"
	"sdd/internal/fault"
	"sdd/internal/markdown"
	"sdd/internal/mcp/catalog"
	"sdd/internal/prompt"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
	"sdd/internal/transfer"
)

// The prompts: the texts of package prompt, filled in from the store.

type completers = map[string]catalog.Completer

func (c core) prompts() []catalog.Prompt {
	return []catalog.Prompt{
		offered("explore", completers{"title": c.titles}, c.exploreParts),
		offered("brief", nil, c.briefParts),
		offered("review-learnings", completers{"what": catalog.Values(prompt.Reviewed...)}, c.reviewParts),
		offered("phase", completers{"phase": catalog.Values(prompt.Phases()...), "about": c.titles}, c.phaseParts),
		offered("handoff", completers{"record": c.handed, "to": catalog.Values(transfer.HandoffTargets()...)}, c.handoffParts),
	}
}

const maxArgument = 500 // characters of the user's text

// filled returns an argument for use in a text: one line, in quotes, shortened.
func filled(text string) string {
	return fmt.Sprintf("%q", fault.Cut(record.OneLine(text), maxArgument))
}

// offered makes a catalog prompt of the one with that name; complete completes its arguments, and parts are those of its text.
func offered(name string, complete completers, parts func(ctx context.Context, args map[string]string) map[string]string) catalog.Prompt {
	p := prompt.Named(name)
	return catalog.Prompt{
		Name: p.Name, Title: p.Title, Description: p.Description, Arguments: p.Arguments, Complete: complete,
		Get: func(ctx context.Context, args map[string]string) ([]catalog.Message, error) {
			return []catalog.Message{{Text: p.Fill(parts(ctx, args))}}, nil
		},
	}
}

func (c core) exploreParts(_ context.Context, args map[string]string) map[string]string {
	return map[string]string{"title": filled(args["title"])}
}

func (c core) briefParts(ctx context.Context, args map[string]string) map[string]string {
	if strings.TrimSpace(args["question"]) == "" {
		return map[string]string{"told": ""}
	}
	told := fault.Must(c.Answers.Brief(ctx, answer.Query{Query: args["question"], Mode: answer.Route, ReadOnly: true}))
	return map[string]string{"told": fmt.Sprintf("\nFor this question sdd_context was called already:\n\n%s\n%s\n",
		markdown.Quote(told.Context, store.Folder, 1), fault.Cut(args["question"], maxArgument))}
}

func (c core) reviewParts(_ context.Context, args map[string]string) map[string]string {
	what := strings.ToLower(strings.TrimSpace(args["what"]))
	if what != "" {
		checkChoice("what", what, prompt.Reviewed)
	}
	return map[string]string{"reviews": prompt.ReviewSteps(what)}
}

// checkChoice ends the work if an argument is none of those allowed.
func checkChoice(name, given string, allowed []string) {
	if !slices.Contains(allowed, given) {
		fault.Check(fault.New(fault.Invalid, "%s is %s", name, filled(given)).For(name).With("allowed: " + strings.Join(allowed, ", ")))
	}
}

func (c core) phaseParts(_ context.Context, args map[string]string) map[string]string {
	phase := strings.ToLower(strings.TrimSpace(args["phase"]))
	checkChoice("phase", phase, prompt.Phases())
	about := ""
	if args["about"] != "" {
		about = ", about " + filled(args["about"])
	}
	reading := cmp.Or(codesearch.PhaseText(phase, c.Code.Strategy()), prompt.NoCode)
	return map[string]string{"phase": phase, "about": about, "reading": reading}
}

// promptTokens is an upper limit for the text around a document.
const promptTokens = 500

func (c core) handoffParts(ctx context.Context, args map[string]string) map[string]string {
	from := transfer.HandoffSources{Store: c.Store, Index: c.Index, Decisions: c.Decisions}
	out := fault.Must(transfer.HandOff(ctx, from, transfer.HandoffAsk{ID: args["record"], To: args["to"], DryRun: true}))
	do := "Give it to me as it is, or use it where that pipeline asks for it."
	switch {
	case out.File != "" && out.Action == "unchanged":
		do = fmt.Sprintf("It is in %s already.", out.File)
	case out.File != "" && out.Action == "kept":
		do = fmt.Sprintf("%s says something else already, and nothing writes over it: tell me what is there and what is new.", out.File)
	case out.File != "":
		do = fmt.Sprintf("Run `sdd handoff %s --to %s`, which writes it to %s.", out.Source, out.To, out.File)
	}
	text := tokens.Prefix(out.Text, catalog.PartTokens-promptTokens)
	document := markdown.Quote(text, out.Source, 0)
	if len(text) < len(out.Text) {
		document += fmt.Sprintf("\nThat is its beginning, %d of %d bytes: `sdd handoff %s --to %s --dry-run` prints it whole.\n",
			len(text), len(out.Text), out.Source, out.To)
	}
	return map[string]string{"record": out.Source, "to": out.To, "document": document, "do": do, "next": out.Next}
}

func (c core) titles(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	var out []string
	for _, e := range c.addressed(ctx, record.Exploration) {
		out = append(out, record.OneLine(e.Title))
	}
	slices.Sort(out)
	return out, nil
}

// handed completes the records that a handoff can contain.
func (c core) handed(ctx context.Context, _ string, _ map[string]string) ([]string, error) {
	fault.Check(c.Index.Refresh(ctx))
	var out []string
	for _, e := range c.Index.Entries(record.Exploration, record.Decision) {
		out = append(out, e.ID)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}
