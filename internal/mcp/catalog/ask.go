package catalog

import (
	"context"
	"encoding/json"
	"errors"
	"maps"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	"sdd/internal/mcp/transport"
)

// Answer is the user's reaction to a question.
type Answer struct {
	Action  string         `json:"action"` // accept, decline or cancel
	Content map[string]any `json:"content,omitempty"`
}

// Accepted reports whether the user answered the question.
func (a Answer) Accepted() bool { return a.Action == string(mcp.ElicitationResponseActionAccept) }

// Ask asks the client's user: message is the question, schema a flat JSON Schema of the answer, and
// id identifies the question within the call.
//
// The tool must return an error of Ask unchanged. It ends the call, and the client repeats the call
// with the answer. So a tool asks before it changes anything. When the client cannot ask its user,
// the error is an Unavailable fault.
func (c *Call) Ask(ctx context.Context, id, message string, schema any) (Answer, error) {
	given := c.answers()
	if a, ok := given[id]; ok {
		return a, nil
	}
	if r := server.ElicitationResponse(c.request.Params.InputResponses, id); r != nil {
		a := Answer{Action: string(r.Action)}
		a.Content, _ = r.Content.(map[string]any)
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
	var q *question
	errors.As(err, &q)
	return q
}

// result makes the protocol's message of the question. For clients before 2026-07-28 mcp-go turns
// it into a request of the server. The client carries the earlier answers; trusting it costs
// nothing, since it gave them.
func (q *question) result(c *Call) *mcp.CallToolResult {
	given := maps.Clone(c.answers())
	for id := range c.request.Params.InputResponses {
		if r := server.ElicitationResponse(c.request.Params.InputResponses, id); r != nil {
			content, _ := r.Content.(map[string]any)
			given[id] = Answer{string(r.Action), content}
		}
	}
	var state string
	if len(given) > 0 {
		raw, _ := json.Marshal(given)
		state = string(raw)
	}
	schema, _ := transport.Encode(q.schema)
	return server.NewInputRequestBuilder(state).
		Elicit(q.id, mcp.ElicitationParams{Message: q.message, RequestedSchema: schema}).
		ToolResult()
}

// answers returns the answers of earlier rounds. It ignores a state that it cannot decode.
func (c *Call) answers() map[string]Answer {
	given := map[string]Answer{}
	if json.Unmarshal([]byte(c.request.Params.RequestState), &given) != nil || given == nil {
		return map[string]Answer{}
	}
	return given
}
