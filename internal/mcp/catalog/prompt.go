package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
	"sdd/internal/prompt"
)

// Prompt is a text that the user sends by choosing its name.
type Prompt struct {
	Name, Title, Description string
	Arguments                []prompt.Argument
	Complete                 map[string]Completer // offers values for arguments
	// Get returns the messages, for arguments that the server has checked.
	Get func(ctx context.Context, args map[string]string) ([]Message, error)
}

// Message is one turn of a prompt.
type Message struct {
	Assistant bool // the assistant wrote it, else the user
	Text      string
}

func (s *service) addPrompts(c Catalog) error {
	s.prompts = map[string]*Prompt{}
	for _, p := range c.Prompts {
		if s.prompts[p.Name] != nil {
			return fault.New(fault.Internal, "two prompts are called %q", p.Name)
		}
		s.prompts[p.Name] = &p
		listed := mcp.Prompt{Name: p.Name, Title: p.Title, Description: p.Description}
		for _, a := range p.Arguments {
			listed.Arguments = append(listed.Arguments, mcp.PromptArgument{
				Name: a.Name, Title: a.Title, Description: a.Description, Required: a.Required,
			})
		}
		s.MCP.AddPrompt(listed, func(ctx context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return s.prompt(ctx, &p, req.Params.Arguments)
		})
	}
	return nil
}

func (p *Prompt) argumentNames() (names []string) {
	for _, a := range p.Arguments {
		names = append(names, a.Name)
	}
	return names
}

func (s *service) promptNames() []string { return slices.Sorted(maps.Keys(s.prompts)) }

func (s *service) prompt(ctx context.Context, p *Prompt, given map[string]string) (_ *mcp.GetPromptResult, err error) {
	args, names := map[string]string{}, p.argumentNames()
	for _, a := range p.Arguments {
		if v := given[a.Name]; v != "" {
			args[a.Name] = v
		} else if a.Required {
			return nil, fault.New(fault.Invalid, "%s is required", a.Name).For(a.Name).With(a.Description)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.Contains(names, name) {
			f := fault.New(fault.Invalid, "%s has no argument %q%s", p.Name, fault.Cut(name, 64), fault.DidYouMean(name, names)).For(name)
			if len(names) > 0 {
				f = f.With("arguments: " + strings.Join(names, ", "))
			}
			return nil, f
		}
	}
	defer s.caught("prompt "+p.Name, &err, errors.New("the prompt failed"))
	messages, err := ended(func() ([]Message, error) { return p.Get(ctx, args) })
	if err != nil {
		if fault.FailureOf(err).Code == fault.Internal {
			s.Log.Printf("prompt %s: %v", p.Name, err)
		}
		return nil, err
	}
	out := &mcp.GetPromptResult{Description: p.Description}
	for _, m := range messages {
		role := mcp.RoleUser
		if m.Assistant {
			role = mcp.RoleAssistant
		}
		out.Messages = append(out.Messages, mcp.PromptMessage{Role: role, Content: mcp.NewTextContent(m.Text)})
	}
	return out, nil
}

// Completer returns values for an argument that begins with typed; given has the other arguments. The server ranks and cuts them.
type Completer func(ctx context.Context, typed string, given map[string]string) ([]string, error)

// Values is a Completer for a fixed list.
func Values(values ...string) Completer {
	return func(context.Context, string, map[string]string) ([]string, error) { return values, nil }
}

const maxCompletions = 100

func (s *service) CompletePromptArgument(
	ctx context.Context, name string, arg mcp.CompleteArgument, given mcp.CompleteContext,
) (*mcp.Completion, error) {
	p := s.prompts[name]
	if p == nil {
		return s.noCompletion(
			ctx, fault.New(fault.NotFound, "there is no prompt %q%s", fault.Cut(name, 64), fault.DidYouMean(name, s.promptNames())),
		)
	}
	return s.complete(ctx, p.argumentNames(), p.Complete, arg, given)
}

func (s *service) CompleteResourceArgument(
	ctx context.Context, uri string, arg mcp.CompleteArgument, given mcp.CompleteContext,
) (*mcp.Completion, error) {
	i := slices.IndexFunc(s.templates, func(t *template) bool { return t.URI == uri })
	if i < 0 {
		return s.noCompletion(ctx, fault.New(fault.NotFound, "there is no resource template %q", fault.Cut(uri, 200)).
			With("resources/templates/list says what there is"))
	}
	t := s.templates[i]
	completers := t.Complete
	if completers == nil && t.List != nil {
		completers = map[string]Completer{t.pattern.vars[0]: t.completeListed}
	}
	return s.complete(ctx, t.pattern.vars, completers, arg, given)
}

// completeListed completes the template's only variable with the listed documents, sorted by name.
func (t *template) completeListed(ctx context.Context, _ string, _ map[string]string) (values []string, err error) {
	all, err := t.List(ctx)
	slices.SortStableFunc(all, func(a, b Entry) int { return strings.Compare(a.Name, b.Name) })
	for _, e := range all {
		values = append(values, e.Vars[t.pattern.vars[0]])
	}
	return values, err
}

// noCompletion returns the error, or an empty completion on a lenient connection.
func (s *service) noCompletion(ctx context.Context, err *fault.Error) (*mcp.Completion, error) {
	if sess := transport.SessionOf(ctx); !sess.Lenient() {
		sess.Fail(faultError(ctx, nil, err))
	}
	return nil, nil
}

func (s *service) complete(
	ctx context.Context, names []string, completers map[string]Completer, arg mcp.CompleteArgument, given mcp.CompleteContext,
) (_ *mcp.Completion, err error) {
	if !slices.Contains(names, arg.Name) {
		names = slices.Sorted(slices.Values(names))
		unknown := fault.New(fault.Invalid, "there is no argument %q%s", fault.Cut(arg.Name, 64), fault.DidYouMean(arg.Name, names))
		return s.noCompletion(ctx, unknown.With("arguments: "+strings.Join(names, ", ")))
	}
	complete := completers[arg.Name]
	if complete == nil {
		return nil, nil
	}
	defer s.caught("completing "+arg.Name, &err, fault.New(fault.Internal, "completing failed"))
	values, err := ended(func() ([]string, error) { return complete(ctx, arg.Value, given.Arguments) })
	if err != nil {
		s.Log.Printf("completing %s: %v", arg.Name, err)
		return nil, err
	}
	values = rank(values, arg.Value)
	out := &mcp.Completion{Values: values, Total: len(values)}
	if len(values) > maxCompletions {
		out.Values, out.HasMore = values[:maxCompletions], true
	}
	return out, nil
}

// rank returns the values that begin with typed, then those that contain it, each once, in any case.
func rank(values []string, typed string) []string {
	typed = strings.ToLower(typed)
	out, later := []string{}, []string(nil)
	seen := map[string]bool{}
	for _, v := range values {
		low := strings.ToLower(v)
		switch {
		case seen[v]:
		case strings.HasPrefix(low, typed):
			out = append(out, v)
		case strings.Contains(low, typed):
			later = append(later, v)
		}
		seen[v] = true
	}
	return append(out, later...)
}
