package transport_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
	"sdd/internal/setup"
)

// TestOfficialClient drives a server with the official Go SDK, which shares no code with mcp-go.
func TestOfficialClient(t *testing.T) {
	for _, version := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"} {
		t.Run("stdio/"+version, func(t *testing.T) {
			t.Parallel()
			officialClient(t, version, func(srv *Server) (mcp.Transport, func() error) {
				inR, inW := io.Pipe()
				outR, outW := io.Pipe()
				done := make(chan error, 1)
				go func() {
					err := srv.Stdio(t.Context(), inR, outW)
					outW.Close()
					done <- err
				}()
				return &mcp.IOTransport{Reader: outR, Writer: inW}, func() error {
					inW.Close()
					return <-done
				}
			})
		})
		t.Run("http/"+version, func(t *testing.T) {
			t.Parallel()
			officialClient(t, version, func(srv *Server) (mcp.Transport, func() error) {
				h := serveHTTP(t, map[string]*Server{setup.HTTPPath: srv}, HTTPOptions{Token: testToken}, nil)
				return &mcp.StreamableClientTransport{Endpoint: h.url, HTTPClient: &http.Client{Transport: bearer(testToken)}}, func() error {
					if n := h.Sessions(setup.HTTPPath); n > 0 {
						t.Errorf("%d sessions are left", n)
					}
					return h.end()
				}
			})
		})
	}
}

// officialClient has a talk over the transport that connect makes. end is called after it.
func officialClient(t *testing.T, version string, connect func(srv *Server) (over mcp.Transport, end func() error)) {
	shelf := newShelf()
	shelf.started, shelf.finished = make(chan string, 10), make(chan string, 10)
	over, end := connect(shelf.server(t, Options{}))

	updated, listed, progress := make(chan string, 100), make(chan bool, 100), make(chan float64, 100)
	client := mcp.NewClient(&mcp.Implementation{Name: "official", Version: "1"}, &mcp.ClientOptions{
		ResourceUpdatedHandler:     func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { updated <- r.Params.URI },
		ResourceListChangedHandler: func(context.Context, *mcp.ResourceListChangedRequest) { listed <- true },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			progress <- r.Params.Progress
		},
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"name": strings.Fields(r.Params.Message)[1]}}, nil
		},
	})
	ctx := t.Context()
	s, err := client.Connect(ctx, over, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	if got := s.InitializeResult().ProtocolVersion; got != version {
		t.Errorf("negotiated %s", got)
	}
	if s.InitializeResult().Instructions == "" {
		t.Error("no instructions")
	}

	var tools []string
	for tool, err := range s.Tools(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		tools = append(tools, tool.Name)
	}
	if want := []string{"note_get", "note_put", "wait", "count", "fail", "choose"}; !slices.Equal(tools, want) {
		t.Errorf("tools %q", tools)
	}
	res, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "note_get", Arguments: map[string]any{"name": "a"}})
	if err != nil || res.IsError || res.StructuredContent.(map[string]any)["text"] != "text of a\n" {
		t.Errorf("%+v, %v", res, err)
	}
	res, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "note_get", Arguments: map[string]any{"name": "zzz"}})
	if err != nil || !res.IsError || res.StructuredContent.(map[string]any)["code"] != "not_found" {
		t.Errorf("%+v, %v", res, err)
	}
	var rpc *jsonrpc.Error
	if _, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "note_got"}); !errors.As(err, &rpc) || rpc.Code != -32602 || !strings.Contains(err.Error(), "note_get") {
		t.Errorf("unknown tool: %v", err)
	}

	var uris []string
	for r, err := range s.Resources(ctx, nil) {
		if err != nil {
			t.Fatal(err)
		}
		uris = append(uris, r.URI)
	}
	if len(uris) != 5 {
		t.Errorf("resources %q", uris)
	}
	read, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: uris[4]})
	if err != nil || read.Contents[0].Text != "text of 日本\n" || read.Contents[0].URI != uris[4] {
		t.Errorf("%+v, %v", read, err)
	}
	if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: "note://note/zzz"}); !errors.As(err, &rpc) {
		t.Errorf("unknown resource: %v", err)
	}
	for _, err := range s.ResourceTemplates(ctx, nil) {
		if err != nil {
			t.Error(err)
		}
	}
	for _, err := range s.Prompts(ctx, nil) {
		if err != nil {
			t.Error(err)
		}
	}
	prompt, err := s.GetPrompt(ctx, &mcp.GetPromptParams{Name: "brief", Arguments: map[string]string{"name": "a"}})
	if err != nil || len(prompt.Messages) != 2 {
		t.Errorf("%+v, %v", prompt, err)
	}
	done1, err := s.Complete(ctx, &mcp.CompleteParams{Ref: &mcp.CompleteReference{Type: "ref/prompt", Name: "brief"}, Argument: mcp.CompleteParamsArgument{Name: "tone", Value: "d"}})
	if err != nil || !slices.Equal(done1.Completion.Values, []string{"dry"}) {
		t.Errorf("%+v, %v", done1, err)
	}

	if err := s.Subscribe(ctx, &mcp.SubscribeParams{URI: "note://note/a"}); err != nil {
		t.Fatal(err)
	}
	// Since 2026-07-28 the client does not wait for the acknowledgement; and whether it hears that
	// the list changed depends on a stream that it opened on its own.
	for heard := false; !heard; {
		shelf.put("a", "changed")
		select {
		case uri := <-updated:
			heard = uri == "note://note/a"
		case <-time.After(10 * time.Millisecond): // a flood would keep the client from hearing
		}
	}
	for heard, n := false, 0; !heard; n++ {
		shelf.put(fmt.Sprint("new", n), "x")
		select {
		case heard = <-listed:
		case <-time.After(10 * time.Millisecond):
		}
	}
	if err := s.Unsubscribe(ctx, &mcp.UnsubscribeParams{URI: "note://note/a"}); err != nil {
		t.Error(err)
	}

	count := &mcp.CallToolParams{Name: "count", Arguments: map[string]any{"to": 3}}
	count.SetProgressToken("tok")
	if _, err := s.CallTool(ctx, count); err != nil {
		t.Error(err)
	}
	for want := 1.0; want <= 3; want++ {
		if got := <-progress; got != want {
			t.Errorf("progress %v, want %v", got, want)
		}
	}
	if version >= "2025-06-18" {
		res, err = s.CallTool(ctx, &mcp.CallToolParams{Name: "choose"})
		if err != nil || res.Content[0].(*mcp.TextContent).Text != "note? in colour?" {
			t.Errorf("%+v, %v", res, err)
		}
	}

	short, cancel := context.WithCancel(ctx)
	go func() {
		<-shelf.started
		cancel()
	}()
	if _, err := s.CallTool(short, &mcp.CallToolParams{Name: "wait", Arguments: map[string]any{"ms": 600_000, "name": "long"}}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled call: %v", err)
	}
	if name := <-shelf.finished; name != "long" {
		t.Errorf("%q ended", name)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if err := end(); err != nil {
		t.Error(err)
	}
}
