package catalog

import (
	"context"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// Completer returns values for an argument whose first characters are typed; given contains the
// other arguments. It may return too many: the server sends those that begin with typed first, then
// those that contain it, each group in the returned order, and drops the rest.
type Completer func(ctx context.Context, typed string, given map[string]string) ([]string, error)

// Values is a Completer for a fixed list.
func Values(values ...string) Completer {
	return func(context.Context, string, map[string]string) ([]string, error) { return values, nil }
}

// maxCompletions is the protocol's limit.
const maxCompletions = 100

type promptCompleter struct{ *service }

func (s promptCompleter) CompletePromptArgument(
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

type resourceCompleter struct{ *service }

func (s resourceCompleter) CompleteResourceArgument(
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

// completeListed completes the template's only variable with its values in the listed documents, sorted by
// name.
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
	values, err := complete(ctx, arg.Value, given.Arguments)
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

// rank returns the values that begin with typed, then those that contain it, each once. It ignores
// case.
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
