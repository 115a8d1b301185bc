package catalog

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sort"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
	"sdd/internal/store"
)

// Tool is something an agent can call.
type Tool struct {
	Name, Title, Description string
	// Aliases are names that other servers use for the same thing. They can always be called, and
	// are listed with the toolset "compat".
	Aliases []string
	// Toolset is the name by which the tool is chosen together with its like.
	Toolset string

	// Hints for the client; all four are always sent.
	ReadOnly, Destructive, Idempotent, OpenWorld bool
	// Writes is set for a tool that changes the store; a read-only server refuses it.
	Writes bool

	// Input and Output are JSON Schemas with an object at the root. Input is what arguments are
	// checked against before Call; nil takes none. Output describes Result.Structured.
	Input, Output json.RawMessage

	// Call does the work. The agent gets a *fault.Error in full; of any other error, and
	// of a panic, only that the tool failed.
	Call func(ctx context.Context, c *Call) (Result, error)
}

// Handler makes a Tool.Call of a function that takes its arguments as a struct.
func Handler[A any](f func(ctx context.Context, c *Call, args A) (Result, error)) func(context.Context, *Call) (Result, error) {
	return func(ctx context.Context, c *Call) (Result, error) {
		var args A
		if err := c.Decode(&args); err != nil {
			return Result{}, err
		}
		return f(ctx, c, args)
	}
}

// TextHandler makes a Tool.Call of a function whose answer has a text.
func TextHandler[A any, R interface{ Text() string }](
	f func(ctx context.Context, c *Call, args A) (R, error),
) func(context.Context, *Call) (Result, error) {
	return Handler(func(ctx context.Context, c *Call, args A) (Result, error) {
		r, err := f(ctx, c, args)
		if err != nil {
			return Result{}, err
		}
		return Result{Structured: r, Text: r.Text()}, nil
	})
}

// Result is what a tool call gives.
type Result struct {
	// Structured is the whole result: a struct, so that its keys always come in one order. A
	// tool that has an Output must set it.
	Structured any
	// Text is the same for readers of text; "" repeats Structured as JSON.
	Text string
	// Extra are text blocks of their own after Text.
	Extra []string
}

// Call is one call of a tool.
type Call struct {
	Args   json.RawMessage // checked against the tool's Input; an object
	Name   string          // of the tool
	Alias  string          // by which it was called, "" for its name
	Client Client

	request *mcp.CallToolRequest
}

// Decode reads the arguments into v, which must know all of them.
func (c *Call) Decode(v any) error {
	// A decoder that refuses unknown names keeps a copy of what it reads, so it gets the names alone.
	names := []byte{'{'}
	transport.Members(c.Args, func(name string, _ json.RawMessage) bool {
		if len(names) > 1 {
			names = append(names, ',')
		}
		quoted, _ := transport.Encode(name)
		names = append(append(names, quoted...), ":null"...)
		return true
	})
	dec := json.NewDecoder(bytes.NewReader(append(names, '}')))
	dec.DisallowUnknownFields()
	err := dec.Decode(v)
	if err == nil {
		err = json.Unmarshal(c.Args, v)
	}
	if err != nil {
		return fmt.Errorf("the input schema allows what the handler does not take: %w", err)
	}
	return nil
}

// By names the tool with the client's program, for the journal.
func (c *Call) By() string {
	if c.Client.Name == "" {
		return c.Name
	}
	return c.Name + " (" + c.Client.Name + ")"
}

// MaxTokens is what a result without a budget of its own takes at most, as text and as JSON each.
const MaxTokens = 8000

// Room returns how many of n things an answer has room for: the most for which fits is true, 0 if there are none. What
// fits n fits fewer.
func Room(n int, fits func(n int) bool) int {
	return sort.Search(n, func(i int) bool { return !fits(i + 1) })
}

// maxResult bounds an answer, in bytes. Tools keep to budgets far below it; this is the net.
const maxResult = 4 << 20

// handler returns t as mcp-go calls it. It never returns an error: what goes wrong in a tool is
// a result, which the agent sees.
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

// noticesFor returns the catalog's notices for the client. A failure of theirs never costs it
// the result.
func (s *service) noticesFor(ctx context.Context, c Client) (lines []string) {
	if s.notices == nil {
		return nil
	}
	var failure error // is in the log already
	defer s.caught("notices", &failure, nil)
	return s.notices(ctx, c)
}

// call checks the arguments and runs the tool. It reports defects in the log; the error contains no
// more than the client may know.
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

// defect reports in the log that a tool failed and why; the client's own log learns only that it did.
func (s *service) defect(ctx context.Context, t *tool, err error) {
	s.Log.Printf("%s: %v", t.Name, err)
	transport.SessionOf(ctx).LogMessage(ctx, mcp.LoggingLevelError, t.Name+" failed")
}

// result puts what the tool returned into the form of the protocol. The error is a defect.
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
