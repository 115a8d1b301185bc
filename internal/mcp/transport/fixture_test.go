package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"sdd/internal/fault"
	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
	"sdd/internal/prompt"
)

// shelf is what the tests' catalog is about: notes that tests change behind the server's back.
type shelf struct {
	mu       sync.Mutex
	notes    map[string]string
	news     []string
	hub      *Hub        // while watched
	watched  int         // how often Watch was called
	started  chan string // gets the name of every wait tool call that runs, if not nil
	finished chan string
}

func newShelf() *shelf {
	return &shelf{notes: map[string]string{"a": "text of a\n", "b": "text of b\n", "日本": "text of 日本\n"}}
}

// put changes a note as an editor does.
func (s *shelf) put(name, text string) {
	s.mu.Lock()
	_, old := s.notes[name]
	s.notes[name] = text
	h := s.hub
	s.mu.Unlock()
	if h == nil {
		return
	}
	h.Updated("note://note/" + name)
	if !old {
		h.ListChanged()
	}
}

func (s *shelf) read(name string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, ok := s.notes[name]
	if !ok {
		return "", fault.New(fault.NotFound, "there is no note %q", name).With("note_list says what there is")
	}
	return text, nil
}

func (s *shelf) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.notes))
}

func (s *shelf) watch(ctx context.Context, h *Hub) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hub = h
	s.watched++
	turn := s.watched
	context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.watched == turn {
			s.hub = nil
		}
	})
	return nil
}

type noteResult struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

var noteOutput = json.RawMessage(`{"type":"object","required":["name","text"],"properties":{"name":{"type":"string"},"text":{"type":"string"}}}`)

func (s *shelf) catalog() Catalog {
	return Catalog{
		Name: "shelf", Title: "Shelf", Description: "Notes for tests", WebsiteURL: "https://example.org",
		Instructions: "Read notes with note_get.",
		Tools: []Tool{
			{
				Name: "note_get", Aliases: []string{"read_note"}, Title: "Read a note", Description: "Reads one note.",
				Toolset: "read", ReadOnly: true, Idempotent: true, Output: noteOutput,
				Input: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name"],"properties":{
					"name":{"type":"string","minLength":1,"maxLength":40,"description":"Name of the note"},
					"limit":{"type":"integer","minimum":1,"maximum":100,"default":10,"description":"Lines"},
					"form":{"type":"string","enum":["whole","head","tail"],"description":"What of it"},
					"tags":{"type":"array","items":{"type":"string"},"maxItems":3,"description":"Only if it has these"},
					"loud":{"type":"boolean","description":"In capitals"}}}`),
				Call: Handler(func(_ context.Context, _ *Call, a struct {
					Name  string   `json:"name"`
					Limit int      `json:"limit"`
					Form  string   `json:"form"`
					Tags  []string `json:"tags"`
					Loud  bool     `json:"loud"`
				}) (Result, error) {
					text, err := s.read(a.Name)
					if err != nil {
						return Result{}, err
					}
					if a.Loud {
						text = strings.ToUpper(text)
					}
					return Result{Structured: noteResult{a.Name, text}, Text: "Note " + a.Name + ":\n" + text}, nil
				}),
			},
			{
				Name: "note_put", Title: "Write a note", Description: "Writes one note.",
				Toolset: "write", Destructive: true, Writes: true, Output: noteOutput,
				Input: json.RawMessage(`{"type":"object","additionalProperties":false,"required":["name","text"],"properties":{
					"name":{"type":"string","minLength":1,"description":"Name of the note"},
					"text":{"type":"string","description":"All of it"}}}`),
				Call: Handler(func(_ context.Context, _ *Call, a noteResult) (Result, error) {
					s.put(a.Name, a.Text)
					return Result{Structured: a}, nil
				}),
			},
			{
				Name: "wait", Title: "Wait", Description: "Waits some milliseconds.", Toolset: "read", ReadOnly: true, Idempotent: true,
				Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{
					"ms":{"type":"integer","minimum":0,"maximum":600000,"description":"How long"},"name":{"type":"string","description":"What it is called"},
					"deaf":{"type":"boolean","description":"Does not hear that it was cancelled"}}}`),
				Call: Handler(func(ctx context.Context, _ *Call, a struct {
					MS   int    `json:"ms"`
					Name string `json:"name"`
					Deaf bool   `json:"deaf"`
				}) (Result, error) {
					if s.started != nil {
						s.started <- a.Name
					}
					if s.finished != nil {
						defer func() { s.finished <- a.Name }()
					}
					if a.Deaf {
						ctx = context.WithoutCancel(ctx)
					}
					select {
					case <-time.After(time.Duration(a.MS) * time.Millisecond):
						return Result{Text: "waited " + a.Name}, nil
					case <-ctx.Done():
						return Result{}, ctx.Err()
					}
				}),
			},
			{
				Name: "count", Title: "Count", Description: "Counts and reports progress.", Toolset: "read", ReadOnly: true, Idempotent: true,
				Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"to":{"type":"integer","maximum":100000,"description":"Where it ends"}}}`),
				Call: Handler(func(ctx context.Context, _ *Call, a struct {
					To int `json:"to"`
				}) (Result, error) {
					for i := range a.To {
						SessionOf(ctx).Progress(ctx, float64(i+1), float64(a.To), fmt.Sprintf("step %d", i+1))
						SessionOf(ctx).Progress(ctx, float64(i), 0, "backwards")
					}
					return Result{Text: "counted"}, nil
				}),
			},
			{
				Name: "fail", Title: "Fail", Description: "Fails in the way asked for.", Toolset: "read", ReadOnly: true, Idempotent: true,
				Input: json.RawMessage(`{"type":"object","additionalProperties":false,"properties":{"how":{"type":"string","description":"In what way"}}}`),
				Call: Handler(func(_ context.Context, _ *Call, a struct {
					How string `json:"how"`
				}) (Result, error) {
					switch a.How {
					case "fault":
						return Result{}, fault.New(fault.Conflict, "both sides changed the goals").For("if_match").At(".sdd/explore/x.md", 7).With("read it again with sdd_get")
					case "error":
						return Result{}, errors.New("open /home/someone/secret: permission denied")
					case "panic":
						panic("the secret is /home/someone/secret")
					case "huge":
						return Result{Text: strings.Repeat("x", 4<<20+1)}, nil
					case "broken":
						return Result{Structured: func() {}}, nil
					}
					return Result{Text: "did not fail", Extra: []string{"and says more"}}, nil
				}),
			},
			{
				Name: "choose", Title: "Choose", Description: "Asks which note is meant, then which colour.", Toolset: "read", ReadOnly: true,
				Call: func(ctx context.Context, c *Call) (Result, error) {
					which, err := c.Ask(ctx, "which", "Which note?", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`))
					if err != nil {
						return Result{}, err
					}
					if !which.Accepted() {
						return Result{Text: "none: " + which.Action}, nil
					}
					colour, err := c.Ask(ctx, "colour", "Which colour?", json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}}}`))
					if err != nil {
						return Result{}, err
					}
					return Result{Text: fmt.Sprintf("%v in %v", which.Content["name"], colour.Content["name"])}, nil
				},
			},
			{
				Name: "who", Title: "Who", Description: "Says who calls.", Toolset: "odd", ReadOnly: true, Idempotent: true,
				Call: func(_ context.Context, c *Call) (Result, error) {
					who := c.Client
					who.Session = ""
					return Result{Text: fmt.Sprintf("%+v", who)}, nil
				},
			},
		},
		DefaultToolsets: []string{"read", "write"},
		Resources: []Resource{
			{
				URI: "note://index", Name: "index", Title: "Index", Description: "The names of all notes", MIMEType: "text/plain",
				Read: func(context.Context) (Contents, error) { return Contents{Text: strings.Join(s.names(), "\n")}, nil },
			},
			{
				URI: "note://broken", Name: "broken", Title: "Broken", Description: "Cannot be read", MIMEType: "text/plain",
				Read: func(context.Context) (Contents, error) { panic("the secret is /home/someone/secret") },
			},
		},
		Templates: []Template{{
			URI: "note://note/{name}", Name: "note", Title: "Note", Description: "One note", MIMEType: "text/markdown",
			Read: func(_ context.Context, vars map[string]string) (Contents, error) {
				text, err := s.read(vars["name"])
				return Contents{Text: text}, err
			},
			List: func(context.Context) ([]Entry, error) {
				var out []Entry
				for _, n := range s.names() {
					out = append(out, Entry{Name: "note/" + n, Title: n, Vars: map[string]string{"name": n}, Size: 9})
				}
				return out, nil
			},
		}},
		Prompts: []Prompt{{
			Name: "brief", Title: "Brief", Description: "A short account of a note",
			Arguments: []prompt.Argument{
				{Name: "name", Title: "Note", Description: "Which note", Required: true}, {Name: "tone", Description: "How it sounds"},
			},
			Complete: map[string]Completer{
				"name": func(context.Context, string, map[string]string) ([]string, error) { return s.names(), nil }, "tone": Values("dry", "warm"),
			},
			Get: func(_ context.Context, args map[string]string) ([]Message, error) {
				text, err := s.read(args["name"])
				if err != nil {
					return nil, err
				}
				return []Message{{Text: "Brief me on this note:\n" + text}, {Assistant: true, Text: "In which tone? " + args["tone"]}}, nil
			},
		}},
		Notices: func(context.Context, Client) []string {
			s.mu.Lock()
			defer s.mu.Unlock()
			news := s.news
			s.news = nil
			return news
		},
		Watch: s.watch,
	}
}

func (s *shelf) server(t testing.TB, o Options) *Server {
	t.Helper()
	if o.Version == "" {
		o.Version = "1.2.3"
	}
	srv, err := New(s.catalog(), o)
	if err != nil {
		t.Fatal(err)
	}
	return srv
}

// link is a client at the other end of a pair of pipes.
type link struct {
	t     testing.TB
	in    *io.PipeWriter
	lines chan string // what the server wrote; closed at its end
	done  chan error  // what Stdio returned
	stop  context.CancelFunc
}

// connect serves one client by srv. The streams are closed when the test ends.
func connect(t testing.TB, srv *Server) *link {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	ctx, stop := context.WithCancel(context.Background())
	l := &link{t: t, in: inW, lines: make(chan string, 1<<16), done: make(chan error, 1), stop: stop}
	go func() {
		err := srv.Stdio(ctx, inR, outW)
		inR.Close()
		outW.Close()
		l.done <- err
	}()
	go func() {
		defer close(l.lines)
		r := bufio.NewReader(outR)
		for {
			s, err := r.ReadString('\n')
			if s != "" {
				l.lines <- strings.TrimSuffix(s, "\n")
			}
			if err != nil {
				return
			}
		}
	}()
	t.Cleanup(func() {
		stop()
		inW.Close()
		outR.Close()
	})
	return l
}

func (l *link) send(lines ...string) {
	for _, s := range lines {
		if _, err := io.WriteString(l.in, s+"\n"); err != nil {
			l.t.Errorf("writing to the server: %v", err)
			return
		}
	}
}

// hello does the handshake of that revision and returns the answer.
func (l *link) hello(version string) said {
	l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":%q,"capabilities":{"elicitation":{}},"clientInfo":{"name":"test","version":"1"}}}`, version))
	r := l.next()
	l.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return r
}

// said is one message from the server.
type said struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Error          `json:"error"`
}

func (l *link) next() said {
	l.t.Helper()
	s, ok := <-l.lines
	if !ok {
		l.t.Fatal("the server has closed its output")
	}
	return hear(l.t, s)
}

func hear(t testing.TB, s string) said {
	t.Helper()
	var r said
	dec := json.NewDecoder(bytes.NewReader([]byte(s)))
	if err := dec.Decode(&r); err != nil {
		t.Fatalf("not protocol: %v: %q", err, s)
	}
	return r
}

// rest closes the input and returns the rest of the output, and what Stdio returned.
func (l *link) rest() ([]string, error) {
	l.in.Close()
	err := <-l.done
	var out []string
	for s := range l.lines {
		out = append(out, s)
	}
	return out, err
}

func call(id, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"test","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`
