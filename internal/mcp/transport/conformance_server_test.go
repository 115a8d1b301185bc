package transport_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"sdd/internal/fault"
	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
	"sdd/internal/setup"
)

// serveFixture answers over HTTP until ctx ends, with what the scenarios of the protocol's conformance suite
// (@modelcontextprotocol/conformance) ask for by name: tools, prompts and resources that no store has. It checks that the
// transport carries every part of the protocol, also those that no tool of the product uses. .ci/conformance runs it.
func serveFixture(ctx context.Context) error {
	h, err := ListenHTTP(map[string]*Server{setup.HTTPPath: newFixture(os.Stderr)}, HTTPOptions{Addr: "127.0.0.1:0"}, os.Stderr)
	if err != nil {
		return err
	}
	fmt.Println(h.Addresses()[0])
	return h.Serve(ctx)
}

// newFixture returns a server without a catalog: it registers its offers with mcp-go itself, because a [Catalog] describes only
// what the product needs.
func newFixture(out io.Writer) *Server {
	s := &Server{Log: log.New(out, "fixture: ", 0), Left: func(string) {}}
	unknown := func(context.Context, string) error { return fault.New(fault.NotFound, "there is no such resource") }
	s.Hub = NewHub(unknown, func(uri string) string { return uri }, nil, s.Log)
	hooks := &server.Hooks{}
	hooks.AddBeforeSubscriptionsListen(KeepFilter)
	none := func() []string { return nil }
	hooks.AddOnError(Explain(none, none))
	s.MCP = server.NewMCPServer("sdd-fixture", "1",
		server.WithToolCapabilities(true),
		server.WithPromptCapabilities(true),
		server.WithResourceCapabilities(true, true),
		server.WithCompletions(),
		server.WithLogging(),
		server.WithCacheHints(0, mcp.CacheScopePrivate),
		server.WithPromptCompletionProvider(fixtureCompleter{}),
		server.WithResourceCompletionProvider(fixtureCompleter{}),
		server.WithHooks(hooks),
	)
	s.MCP.AddTools(fixtureTools()...)
	s.MCP.AddPrompts(fixturePrompts()...)
	addFixtureResources(s.MCP)
	return s
}

// The smallest picture and sound there are: a red pixel as PNG, and a WAV file without samples.
const (
	onePixel  = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"
	noSamples = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA="
)

func addFixtureResources(s *server.MCPServer) {
	add := func(uri, mime string, contents mcp.ResourceContents) {
		s.AddResource(mcp.NewResource(uri, uri, mcp.WithMIMEType(mime)), func(context.Context, mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return []mcp.ResourceContents{contents}, nil
		})
	}
	const text, binary, watched = "test://static-text", "test://static-binary", "test://watched-resource"
	add(text, "text/plain", mcp.TextResourceContents{URI: text, MIMEType: "text/plain", Text: "This is the content of the static text resource."})
	add(binary, "image/png", mcp.BlobResourceContents{URI: binary, MIMEType: "image/png", Blob: onePixel})
	add(watched, "text/plain", mcp.TextResourceContents{URI: watched, MIMEType: "text/plain", Text: "This resource can be watched."})
	s.AddResourceTemplate(mcp.NewResourceTemplate("test://template/{id}/data", "template", mcp.WithTemplateMIMEType("application/json")),
		func(_ context.Context, req mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			id := "" // mcp-go gives every variable as a list
			if values, _ := req.Params.Arguments["id"].([]string); len(values) > 0 {
				id = values[0]
			}
			data, _ := Encode(struct {
				ID   string `json:"id"`
				Test bool   `json:"templateTest"`
				Data string `json:"data"`
			}{id, true, "Data for ID: " + id})
			return []mcp.ResourceContents{mcp.TextResourceContents{URI: req.Params.URI, MIMEType: "application/json", Text: string(data)}}, nil
		})
}

func fixturePrompts() []server.ServerPrompt {
	user := func(content mcp.Content) mcp.PromptMessage { return mcp.NewPromptMessage(mcp.RoleUser, content) }
	says := func(messages ...mcp.PromptMessage) (*mcp.GetPromptResult, error) {
		return mcp.NewGetPromptResult("", messages), nil
	}
	named := func(name string, o ...mcp.PromptOption) mcp.Prompt {
		return mcp.NewPrompt(name, append(o, mcp.WithPromptDescription("For the conformance suite."))...)
	}
	required := func(name string) mcp.PromptOption { return mcp.WithArgument(name, mcp.RequiredArgument()) }
	return []server.ServerPrompt{
		{Prompt: named("test_simple_prompt"), Handler: func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(user(mcp.NewTextContent("This is a simple prompt for testing.")))
		}},
		{Prompt: named("test_prompt_with_arguments", required("arg1"), required("arg2")), Handler: func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			a := req.Params.Arguments
			return says(user(mcp.NewTextContent("Prompt with arguments: arg1='" + a["arg1"] + "', arg2='" + a["arg2"] + "'")))
		}},
		{Prompt: named("test_prompt_with_embedded_resource", required("resourceUri")), Handler: func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(user(mcp.NewEmbeddedResource(mcp.TextResourceContents{
				URI: req.Params.Arguments["resourceUri"], MIMEType: "text/plain", Text: "Embedded resource content for testing.",
			})), user(mcp.NewTextContent("Please process the embedded resource above.")))
		}},
		{Prompt: named("test_prompt_with_image"), Handler: func(context.Context, mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return says(user(mcp.NewImageContent(onePixel, "image/png")), user(mcp.NewTextContent("Please analyze the image above.")))
		}},
		{Prompt: named("test_input_required_result_prompt"), Handler: func(_ context.Context, req mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			if answer := server.ElicitationResponse(req.Params.InputResponses, "user_context"); answer != nil {
				return says(user(mcp.NewTextContent("Use this context: " + answered(answer, "context"))))
			}
			return server.NewInputRequestBuilder("").Elicit("user_context", form("What context should the prompt use?", "context", "string")).PromptResult(), nil
		}},
	}
}

type fixtureCompleter struct{}

func (fixtureCompleter) CompletePromptArgument(_ context.Context, _ string, arg mcp.CompleteArgument, _ mcp.CompleteContext) (*mcp.Completion, error) {
	values := slices.DeleteFunc([]string{"paris", "park", "party"}, func(v string) bool { return !strings.HasPrefix(v, arg.Value) })
	return &mcp.Completion{Values: values, Total: len(values)}, nil
}

func (c fixtureCompleter) CompleteResourceArgument(ctx context.Context, uri string, arg mcp.CompleteArgument, given mcp.CompleteContext) (*mcp.Completion, error) {
	return c.CompletePromptArgument(ctx, uri, arg, given)
}
