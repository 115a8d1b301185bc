package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
	"sdd/internal/store"
)

// Tool is a function that an agent can call.
type Tool struct {
	Name, Title, Description string

	Aliases []string // other servers' names for the tool; tools/list has them only with the toolset "compat"
	Toolset string   // the name of the tool's group, by which users choose tools

	ReadOnly, Destructive, Idempotent, OpenWorld bool // hints for the client; all four are always sent

	Writes bool // it changes the store: a read-only server refuses it

	// Input and Output are JSON Schemas of objects; without Input the tool has no arguments. Output describes Result.Structured.
	Input, Output json.RawMessage

	// Call does the work. The agent receives a *fault.Error in full, of any other error or a panic only that the tool failed.
	Call func(ctx context.Context, c *Call) (Result, error)
}

// Handler makes a Tool.Call of a function with a struct of arguments, which must have a field for each. The function may end by
// fault.Check.
func Handler[A any](f func(ctx context.Context, c *Call, args A) (Result, error)) func(context.Context, *Call) (Result, error) {
	return func(ctx context.Context, c *Call) (_ Result, err error) {
		defer fault.Caught(&err)
		var args A
		dec := json.NewDecoder(bytes.NewReader(c.Args))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&args); err != nil {
			return Result{}, fmt.Errorf("the input schema allows what the handler does not take: %w", err)
		}
		return f(ctx, c, args)
	}
}

// TextHandler makes a Tool.Call of a function whose result has a text.
func TextHandler[A any, R interface{ Text() string }](
	f func(ctx context.Context, c *Call, args A) (R, error),
) func(context.Context, *Call) (Result, error) {
	return Handler(func(ctx context.Context, c *Call, args A) (Result, error) {
		r := fault.Must(f(ctx, c, args))
		return Result{Structured: r, Text: r.Text()}, nil
	})
}

// Result is the result of a tool call.
type Result struct {
	// Structured is the whole result: a struct or a map, whose keys have a fixed order as JSON. A tool with an Output must set it.
	Structured any
	Text       string   // the same result as text; "" means Structured as JSON
	Extra      []string // further text blocks after Text
}

type Call struct {
	Args   json.RawMessage // an object that fits the tool's Input
	Name   string          // the tool's name
	Alias  string          // the alias in the call, "" for the tool's name
	Client Client

	request *mcp.CallToolRequest
}

// By names the tool with the client's program, for the journal.
func (c *Call) By() string {
	if c.Client.Name == "" {
		return c.Name
	}
	return c.Name + " (" + c.Client.Name + ")"
}

// MaxTokens is the limit of a result without its own budget, for the text and for the JSON.
const MaxTokens = 8000

// maxResult guards against defects: it is the limit of an answer in bytes, far above the budgets of tools.
const maxResult = 4 << 20

// handler returns t as a handler for mcp-go. A failed tool has a result, which the agent can read, and no error.
func (s *service) handler(t *tool) server.ToolHandlerFunc {
	return func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		c := &Call{Name: t.Name, Client: client(ctx), Alias: transport.SessionOf(ctx).Alias, request: &req}
		res, err := s.call(ctx, t, c)
		if ask := questionOf(err); ask != nil {
			return ask.result(c), nil
		}
		out, err := t.result(res, err)
		if err != nil {
			s.defect(ctx, t, err)
			out, _ = t.result(Result{}, err)
		}
		for _, n := range s.noticesFor(ctx, c.Client) {
			out.Content = append(out.Content, mcp.NewTextContent(n))
		}
		return out, nil
	}
}

// noticesFor returns the catalog's notices for the client. If they fail, the client still gets its result.
func (s *service) noticesFor(ctx context.Context, c Client) (lines []string) {
	if s.notices == nil {
		return nil
	}
	var failure error // the log has it already
	defer s.caught("notices", &failure, nil)
	return s.notices(ctx, c)
}

// call checks the arguments and runs the tool. It logs defects; the error has only the text for the client.
func (s *service) call(ctx context.Context, t *tool, c *Call) (res Result, err error) {
	if t.refusal != nil {
		return Result{}, t.refusal
	}
	in, err := t.schema()
	if err != nil {
		s.Log.Printf("%s: input schema: %v", t.Name, err)
		return Result{}, err
	}
	if c.Args, err = in.check(transport.SessionOf(ctx).Args); err != nil {
		return Result{}, err
	}
	defer func() {
		if r := recover(); r != nil {
			s.defect(ctx, t, fmt.Errorf("%v\n%s", r, transport.Stack()))
			res, err = Result{}, fault.New(fault.Internal, "%s failed", t.Name)
		}
	}()
	res, err = t.Call(store.WithAction(store.WithCaller(ctx, c.Client.Session)), c)
	if err != nil && questionOf(err) == nil && fault.FailureOf(err).Code == fault.Internal {
		s.defect(ctx, t, err)
	}
	return res, err
}

// defect logs why a tool failed. The client's log records only that it failed.
func (s *service) defect(ctx context.Context, t *tool, err error) {
	s.Log.Printf("%s: %v", t.Name, err)
	transport.SessionOf(ctx).LogMessage(ctx, mcp.LoggingLevelError, t.Name+" failed")
}

// result makes the protocol's result of the tool's result. Its error is a defect.
func (t *tool) result(res Result, err error) (*mcp.CallToolResult, error) {
	out := &mcp.CallToolResult{}
	if err != nil {
		f := fault.FailureOf(err)
		res = Result{Structured: f, Text: f.Text()}
		out.IsError = true
	}
	if res.Structured != nil {
		raw, err := transport.Encode(res.Structured)
		if err != nil {
			return nil, err
		}
		out.RawStructuredContent = raw
		if res.Text == "" {
			res.Text = string(raw)
		}
	} else if t.Output != nil {
		return nil, fmt.Errorf("a tool with an output schema returned nothing structured")
	}
	size := len(out.RawStructuredContent)
	for _, text := range append([]string{res.Text}, res.Extra...) {
		size += len(text)
		out.Content = append(out.Content, mcp.NewTextContent(text))
	}
	if size > maxResult {
		return t.result(Result{}, fault.New(fault.Invalid, "the result has %d bytes, at most %d are sent", size, maxResult).
			With("ask for less: a smaller max_tokens or limit, or fewer sections"))
	}
	return out, nil
}

// Answer is the user's reaction to a question.
type Answer struct {
	Action  string         `json:"action"` // accept, decline or cancel
	Content map[string]any `json:"content,omitempty"`
}

func (a Answer) Accepted() bool { return a.Action == string(mcp.ElicitationResponseActionAccept) }

// Ask asks the client's user: message is the question, schema a flat JSON Schema of the answer, and id the question within the call.
// The tool must return an error of Ask unchanged. It ends the call, which the client repeats with the answer; so a tool asks before
// it changes anything. The error is an Unavailable fault if the client cannot ask its user.
func (c *Call) Ask(ctx context.Context, id, message string, schema any) (Answer, error) {
	if a, ok := c.answers()[id]; ok {
		return a, nil
	}
	if !CanAsk(ctx) {
		return Answer{}, fault.New(fault.Unavailable, "this needs an answer, and the client cannot ask its user: %s", message).
			With("ask the user yourself, then call again with what they chose")
	}
	return Answer{}, &question{id, message, schema}
}

// CanAsk reports whether the client declared that it can show a form to its user.
func CanAsk(ctx context.Context) bool {
	var caps mcp.ClientCapabilities
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities != nil {
			caps = *info.ClientCapabilities
		}
	} else {
		caps = transport.SessionOf(ctx).GetClientCapabilities()
	}
	e := caps.Elicitation
	return e != nil && (e.Form != nil || e.URL == nil)
}

// question is the error that ends a call until the user has answered.
type question struct {
	id, message string
	schema      any
}

func (q *question) Error() string { return "waits for the answer to: " + q.message }

func questionOf(err error) *question {
	q, _ := errors.AsType[*question](err)
	return q
}

// result makes the protocol's message of the question, with the earlier answers: trusting the client costs nothing, it gave them.
func (q *question) result(c *Call) *mcp.CallToolResult {
	var state string
	if given := c.answers(); len(given) > 0 {
		raw, _ := json.Marshal(given)
		state = string(raw)
	}
	schema, _ := transport.Encode(q.schema)
	return server.NewInputRequestBuilder(state).
		Elicit(q.id, mcp.ElicitationParams{Message: q.message, RequestedSchema: schema}).
		ToolResult()
}

// answers returns the answers of this round and of earlier ones, which count first. It ignores a state that it cannot decode.
func (c *Call) answers() map[string]Answer {
	given := map[string]Answer{}
	for id := range c.request.Params.InputResponses {
		if r := server.ElicitationResponse(c.request.Params.InputResponses, id); r != nil {
			content, _ := r.Content.(map[string]any)
			given[id] = Answer{string(r.Action), content}
		}
	}
	var earlier map[string]Answer
	if json.Unmarshal([]byte(c.request.Params.RequestState), &earlier) == nil {
		maps.Copy(given, earlier)
	}
	return given
}
