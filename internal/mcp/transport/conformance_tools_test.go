package transport_test

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	. "sdd/internal/mcp/transport"
)

// fixtureTool is a tool of the fixture, which may know the request that it serves.
type fixtureTool func(ctx context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error)

// fixtureTools returns the tools that the conformance suite calls.
func fixtureTools() []server.ServerTool {
	tool := func(name, input string, call fixtureTool) server.ServerTool {
		return server.ServerTool{
			Tool: mcp.Tool{Name: name, Description: "For the conformance suite.", RawInputSchema: json.RawMessage(input)},
			Handler: func(ctx context.Context, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
				return call(ctx, SessionOf(ctx), req)
			},
		}
	}
	shows := func(contents ...mcp.Content) fixtureTool {
		return func(context.Context, *Session, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: contents}, nil
		}
	}
	resource := func(uri, mime, text string) mcp.Content {
		return mcp.NewEmbeddedResource(mcp.TextResourceContents{URI: uri, MIMEType: mime, Text: text})
	}
	const none = `{"type":"object","properties":{},"additionalProperties":false}`
	text := func(name string) string {
		return `{"type":"object","properties":{"` + name + `":{"type":"string"}},"required":["` + name + `"],"additionalProperties":false}`
	}
	return []server.ServerTool{
		tool("test_simple_text", none, shows(mcp.NewTextContent("This is a simple text response for testing."))),
		tool("test_image_content", none, shows(mcp.NewImageContent(onePixel, "image/png"))),
		tool("test_audio_content", none, shows(mcp.NewAudioContent(noSamples, "audio/wav"))),
		tool("test_embedded_resource", none, shows(resource("test://embedded-resource", "text/plain", "This is an embedded resource content."))),
		tool("test_multiple_content_types", none, shows(mcp.NewTextContent("Multiple content types test:"), mcp.NewImageContent(onePixel, "image/png"),
			resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`))),
		tool("test_error_handling", none, func(context.Context, *Session, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return mcp.NewToolResultError("This tool intentionally returns an error for testing"), nil
		}),
		tool("json_schema_2020_12_tool", everyKeyword, shows(mcp.NewTextContent("ok"))),
		tool("test_custom_headers", `{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}},"additionalProperties":false}`, shows(mcp.NewTextContent("ok"))),

		tool("test_tool_with_logging", none, logThrice),
		tool("test_logging_tool", none, logThrice),
		tool("test_tool_with_progress", none, progressThrice),

		tool("test_sampling", text("prompt"), askModel),
		tool("test_elicitation", text("message"), func(_ context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return askUser(req, "User response", argument(sess, "message"), `{"type":"object","required":["username","email"],"properties":{
				"username":{"type":"string","description":"User's response"},"email":{"type":"string","description":"User's email address"}}}`)
		}),
		tool("test_elicitation_sep1034_defaults", none, func(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return askUser(req, "Elicitation completed", "Please look at the defaults", everyDefault)
		}),
		tool("test_elicitation_sep1330_enums", none, func(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return askUser(req, "Elicitation completed", "Please choose", everyChoice)
		}),
		tool("test_streaming_elicitation", none, func(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return askUser(req, "Elicitation completed", "Please confirm", `{"type":"object","properties":{"ok":{"type":"boolean"}}}`)
		}),

		tool("test_missing_capability", none, needSampling),
		tool("test_input_required_result_elicitation", none, greet),
		tool("test_input_required_result_sampling", none, askCapital),
		tool("test_input_required_result_list_roots", none, askRoots),
		tool("test_input_required_result_request_state", none, confirm("Please confirm")),
		tool("test_input_required_result_tampered_state", none, confirm("Please confirm")),
		tool("test_input_required_result_multiple_inputs", none, askAll),
		tool("test_input_required_result_multi_round", none, askTwice),
		tool("test_input_required_result_capabilities", none, askWhatIsThere),
	}
}

const (
	everyKeyword = `{"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object",
		"$defs":{"address":{"$anchor":"addressDef","type":"object","properties":{"street":{"type":"string"},"city":{"type":"string"}}}},
		"properties":{"name":{"type":"string"},"address":{"$ref":"#/$defs/address"},"contactMethod":{"type":"string","enum":["phone","email"]},
			"phone":{"type":"string"},"email":{"type":"string"}},
		"allOf":[{"anyOf":[{"required":["phone"]},{"required":["email"]}]}],
		"if":{"properties":{"contactMethod":{"const":"phone"}},"required":["contactMethod"]},"then":{"required":["phone"]},"else":{"required":["email"]},
		"additionalProperties":false}`
	everyDefault = `{"type":"object","required":[],"properties":{
		"name":{"type":"string","description":"User name","default":"John Doe"},"age":{"type":"integer","description":"User age","default":30},
		"score":{"type":"number","description":"User score","default":95.5},
		"status":{"type":"string","description":"User status","enum":["active","inactive","pending"],"default":"active"},
		"verified":{"type":"boolean","description":"Verification status","default":true}}}`
	everyChoice = `{"type":"object","required":[],"properties":{
		"untitledSingle":{"type":"string","enum":["option1","option2","option3"]},
		"titledSingle":{"type":"string","oneOf":[{"const":"value1","title":"First Option"},{"const":"value2","title":"Second Option"},{"const":"value3","title":"Third Option"}]},
		"legacyEnum":{"type":"string","enum":["opt1","opt2","opt3"],"enumNames":["Option One","Option Two","Option Three"]},
		"untitledMulti":{"type":"array","items":{"type":"string","enum":["option1","option2","option3"]}},
		"titledMulti":{"type":"array","items":{"anyOf":[{"const":"value1","title":"First Choice"},{"const":"value2","title":"Second Choice"},{"const":"value3","title":"Third Choice"}]}}}}`
)

// argument returns an argument that is a text.
func argument(sess *Session, name string) string {
	var args map[string]string
	_ = json.Unmarshal(sess.Args, &args)
	return args[name]
}

// pause waits as long as the suite wants between two notifications.
func pause(ctx context.Context) {
	select {
	case <-time.After(50 * time.Millisecond):
	case <-ctx.Done():
	}
}

func logThrice(ctx context.Context, sess *Session, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for i, line := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
		if i > 0 {
			pause(ctx)
		}
		sess.LogMessage(ctx, mcp.LoggingLevelInfo, line)
	}
	return mcp.NewToolResultText("logged"), nil
}

func progressThrice(ctx context.Context, sess *Session, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	for done := 0.0; done <= 100; done += 50 {
		if done > 0 {
			pause(ctx)
		}
		sess.Progress(ctx, done, 100, "")
	}
	return mcp.NewToolResultText("done"), nil
}

// form is a question for one field.
func form(message, field, kind string) mcp.ElicitationParams {
	return mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(
		`{"type":"object","properties":{"` + field + `":{"type":"` + kind + `"}},"required":["` + field + `"]}`)}
}

// answered returns what the user filled into a field.
func answered(r *mcp.ElicitationResult, field string) string {
	content, _ := r.Content.(map[string]any)
	return fmt.Sprint(content[field])
}

// askUser puts a form to the user and returns what was done with it.
func askUser(req mcp.CallToolRequest, done, message, schema string) (*mcp.CallToolResult, error) {
	if r := server.ElicitationResponse(req.Params.InputResponses, "form"); r != nil {
		content, err := Encode(r.Content)
		return mcp.NewToolResultText(fmt.Sprintf("%s: action=%s, content=%s", done, r.Action, content)), err
	}
	return server.NewInputRequestBuilder("").Elicit("form", mcp.ElicitationParams{Message: message, RequestedSchema: json.RawMessage(schema)}).ToolResult(), nil
}

// sample is a question for the client's model.
func sample(text string, tokens int) mcp.CreateMessageParams {
	return mcp.CreateMessageParams{MaxTokens: tokens, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: mcp.NewTextContent(text)}}}
}

// spoken returns the text that the model answered with.
func spoken(r *mcp.CreateMessageResult) string {
	raw, _ := json.Marshal(r.Content)
	var content struct{ Text string }
	_ = json.Unmarshal(raw, &content)
	return content.Text
}

func askModel(_ context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r := server.SamplingResponse(req.Params.InputResponses, "answer"); r != nil {
		return mcp.NewToolResultText("LLM response: " + spoken(r)), nil
	}
	return server.NewInputRequestBuilder("").Sample("answer", sample(argument(sess, "prompt"), 100)).ToolResult(), nil
}

func askCapital(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r := server.SamplingResponse(req.Params.InputResponses, "capital_question"); r != nil {
		return mcp.NewToolResultText("The model said: " + spoken(r)), nil
	}
	return server.NewInputRequestBuilder("").Sample("capital_question", sample("What is the capital of France?", 100)).ToolResult(), nil
}

func askRoots(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r := server.RootsResponse(req.Params.InputResponses, "client_roots"); r != nil {
		return mcp.NewToolResultText("Roots: " + folders(r)), nil
	}
	return server.NewInputRequestBuilder("").Roots("client_roots").ToolResult(), nil
}

func folders(r *mcp.ListRootsResult) string {
	var uris []string
	for _, root := range r.Roots {
		uris = append(uris, root.URI)
	}
	return strings.Join(uris, ", ")
}

func greet(_ context.Context, _ *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if r := server.ElicitationResponse(req.Params.InputResponses, "user_name"); r != nil {
		return mcp.NewToolResultText("Hello, " + answered(r, "name") + "!"), nil
	}
	return server.NewInputRequestBuilder("").Elicit("user_name", form("What is your name?", "name", "string")).ToolResult(), nil
}

// confirm asks once, with a state that only this server can make.
func confirm(message string) fixtureTool {
	return func(_ context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		if !own(sess, req.Params.RequestState) {
			return nil, errForged
		}
		if req.Params.RequestState == seal("asked") && server.ElicitationResponse(req.Params.InputResponses, "confirm") != nil {
			return mcp.NewToolResultText("state-ok"), nil
		}
		return server.NewInputRequestBuilder(seal("asked")).Elicit("confirm", form(message, "ok", "boolean")).ToolResult(), nil
	}
}

func askAll(_ context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if !own(sess, req.Params.RequestState) {
		return nil, errForged
	}
	in := req.Params.InputResponses
	name, greeting, roots := server.ElicitationResponse(in, "user_name"), server.SamplingResponse(in, "greeting"), server.RootsResponse(in, "client_roots")
	if name != nil && greeting != nil && roots != nil {
		return mcp.NewToolResultText(spoken(greeting) + " " + answered(name, "name") + ", from " + folders(roots)), nil
	}
	return server.NewInputRequestBuilder(seal("all")).
		Elicit("user_name", form("What is your name?", "name", "string")).
		Sample("greeting", sample("Generate a greeting", 50)).
		Roots("client_roots").ToolResult(), nil
}

func askTwice(_ context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	in, state := req.Params.InputResponses, req.Params.RequestState
	if !own(sess, state) {
		return nil, errForged
	}
	switch {
	case state == seal("second") && server.ElicitationResponse(in, "step2") != nil:
		return mcp.NewToolResultText("Your colour is " + answered(server.ElicitationResponse(in, "step2"), "color")), nil
	case state == seal("first") && server.ElicitationResponse(in, "step1") != nil:
		return server.NewInputRequestBuilder(seal("second")).Elicit("step2", form("Step 2: What is your favorite color?", "color", "string")).ToolResult(), nil
	}
	return server.NewInputRequestBuilder(seal("first")).Elicit("step1", form("Step 1: What is your name?", "name", "string")).ToolResult(), nil
}

// capabilities returns what the client of a request can do.
func capabilities(ctx context.Context, sess *Session) mcp.ClientCapabilities {
	if info := server.RequestProtocolInfoFromContext(ctx); info != nil && info.Modern {
		if info.ClientCapabilities == nil {
			return mcp.ClientCapabilities{}
		}
		return *info.ClientCapabilities
	}
	return sess.GetClientCapabilities()
}

func askWhatIsThere(ctx context.Context, sess *Session, req mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if len(req.Params.InputResponses) > 0 {
		return mcp.NewToolResultText("answered"), nil
	}
	b, can := server.NewInputRequestBuilder(""), capabilities(ctx, sess)
	if can.Elicitation != nil {
		b.Elicit("user_name", form("What is your name?", "name", "string"))
	}
	if can.Sampling != nil {
		b.Sample("greeting", sample("Generate a greeting", 50))
	}
	return b.ToolResult(), nil
}

func needSampling(ctx context.Context, sess *Session, _ mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if capabilities(ctx, sess).Sampling != nil {
		return mcp.NewToolResultText("the client can sample"), nil
	}
	lacking := mcp.MissingRequiredClientCapabilityError{Capability: "sampling"}
	sess.Fail(&Error{mcp.MISSING_REQUIRED_CLIENT_CAPABILITY, lacking.Error(), map[string]any{"requiredCapabilities": map[string]any{"sampling": map[string]any{}}}})
	return nil, lacking
}

var errForged = fmt.Errorf("the request state is not of this server")

// own reports whether a state is ours or none; with another one the request fails.
func own(sess *Session, state string) bool {
	text, _, _ := strings.Cut(state, ".")
	if state == "" || hmac.Equal([]byte(state), []byte(seal(text))) {
		return true
	}
	sess.Fail(Errorf(mcp.INVALID_PARAMS, "invalid params: %v", errForged))
	return false
}

// seal returns a state as it travels: with a sum that only this process can make.
func seal(text string) string {
	sum := hmac.New(sha256.New, fixtureSecret())
	sum.Write([]byte(text))
	return text + "." + hex.EncodeToString(sum.Sum(nil))
}

// fixtureSecret is the key of those sums.
var fixtureSecret = sync.OnceValue(func() []byte { return []byte(rand.Text()) })
