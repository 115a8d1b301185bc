package catalog

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
	"sdd/internal/prompt"
)

// Prompt is a text that the user sends by choosing its name.
type Prompt struct {
	Name, Title, Description string
	Arguments                []prompt.Argument
	Complete                 map[string]Completer // offers values for arguments
	// Get returns the messages. The server has checked the arguments: all required ones are present,
	// and no unknown one.
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

// prompt checks the arguments and returns the messages of p.
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
	messages, err := p.Get(ctx, args)
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
