//go:build unix

package transport_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/mcp"
	. "sdd/internal/mcp/catalog"
	. "sdd/internal/mcp/transport"
	"sdd/internal/setup"
	"sdd/internal/store"
)

// TestMain runs a server instead of the tests when the tests ask for one in a process of its own.
func TestMain(m *testing.M) {
	if os.Getenv("SDD_TEST_SERVER") == "" {
		longtest.Patient()
		os.Exit(m.Run())
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	c := newShelf().catalog()
	c.Tools = append(c.Tools, Tool{Name: "shout", Title: "Shout", Description: "Prints in every way there is", Toolset: "read", Call: shout})
	srv, err := New(c, Options{Version: "1.2.3", Log: os.Stderr})
	switch {
	case err != nil:
	case os.Getenv("SDD_TEST_SERVER") == "http":
		var h *HTTP
		if h, err = ListenHTTP(map[string]*Server{setup.HTTPPath: srv}, HTTPOptions{Addr: "127.0.0.1:0"}, nil); err == nil {
			fmt.Println(h.Addresses()[0])
			err = h.Serve(ctx)
		}
	case os.Getenv("SDD_TEST_SERVER") == "fixture":
		err = serveFixture(ctx)
	case os.Getenv("SDD_TEST_SERVER") == "store":
		err = serveStore(ctx, os.Getenv("SDD_TEST_DIR"))
	default:
		err = srv.Stdio(ctx, os.Stdin, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// serveStore is what sdd mcp does.
func serveStore(ctx context.Context, dir string) error {
	st, err := store.Open(store.Options{Dir: dir, Tool: "test"})
	if err != nil {
		return err
	}
	defer st.Close()
	ix := index.Open(st)
	defer ix.Close()
	return mcp.ServeStdio(ctx, app.Mount{Store: st, Index: ix}, app.AgentOptions{Version: "1"}, os.Stdin, os.Stdout, os.Stderr)
}

var early = os.Stdout // kept before Stdio replaces it

func shout(context.Context, *Call) (Result, error) {
	fmt.Println("shouted by fmt")
	fmt.Fprintln(early, "shouted by a file kept from before")
	if _, err := syscall.Write(1, []byte("shouted by a system call\n")); err != nil {
		return Result{}, err
	}
	cmd := exec.Command("echo", "shouted by a child")
	cmd.Stdout = early
	return Result{Text: "shouted"}, cmd.Run()
}

// process is a server in a process of its own.
type process struct {
	*exec.Cmd
	t      *testing.T
	in     io.WriteCloser
	out    *bufio.Reader
	outEnd io.Closer
	err    bytes.Buffer
}

func start(t *testing.T) *process {
	t.Helper()
	return startAs(t, "stdio")
}

func startAs(t *testing.T, transport string) *process {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(exe), t: t}
	p.Env = append(os.Environ(), "SDD_TEST_SERVER="+transport)
	p.Stderr = &p.err
	if p.in, err = p.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.out, p.outEnd = bufio.NewReader(out), out
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	return p
}

func (p *process) send(line string) {
	p.t.Helper()
	if _, err := io.WriteString(p.in, line+"\n"); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) next() said {
	p.t.Helper()
	s, err := p.out.ReadString('\n')
	if err != nil {
		p.t.Fatalf("%v; standard error: %s", err, &p.err)
	}
	return hear(p.t, s)
}

// ends waits for the process and fails unless it exits with 0 and prints nothing.
func (p *process) ends() {
	p.t.Helper()
	rest, err := io.ReadAll(p.out)
	if err == nil && len(rest) > 0 {
		p.t.Errorf("said at the end: %s", rest)
	}
	if err := p.Wait(); err != nil {
		p.t.Errorf("%v; standard error: %s", err, &p.err)
	}
	if p.err.Len() > 0 {
		p.t.Errorf("standard error: %s", &p.err)
	}
}

func TestProcessEndsWithItsInput(t *testing.T) {
	p := start(t)
	p.in.Close()
	p.ends()

	p = start(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.next()
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":2,"method":"pi`); err != nil {
		t.Fatal(err)
	}
	p.in.Close()
	p.ends()
}

func TestProcessEndsOnSignals(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := start(t)
		p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		p.next()
		if err := p.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		p.ends()
	}
	p := start(t)
	p.send(call("1", "wait", `{"ms":600000}`))
	p.send(`{"jsonrpc":"2.0","id":2,"method":"ping"}`)
	p.next()
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if r := p.next(); string(r.ID) != "1" {
		t.Errorf("%+v", r)
	}
	p.ends()
}

func TestProcessEndsWithItsClient(t *testing.T) {
	p := start(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.next()
	p.outEnd.Close()
	for i := 2; i < 100; i++ { // until the server notices
		if _, err := fmt.Fprintf(p.in, `{"jsonrpc":"2.0","id":%d,"method":"ping"}`+"\n", i); err != nil {
			break
		}
	}
	p.ends()
}

// Whatever prints in the process prints to standard error.
func TestProcessKeepsStdoutClean(t *testing.T) {
	p := start(t)
	p.send(call("1", "shout", `{}`))
	if r := p.next(); r.Error != nil || string(r.ID) != "1" {
		t.Fatalf("%+v", r)
	}
	p.in.Close()
	if rest, err := io.ReadAll(p.out); len(rest) > 0 || err != nil {
		t.Errorf("%q, %v", rest, err)
	}
	if err := p.Wait(); err != nil {
		t.Error(err)
	}
	if n := strings.Count(p.err.String(), "shouted by"); n != 4 {
		t.Errorf("%d of 4 on standard error: %s", n, &p.err)
	}
}

// A message of 64 MiB, and a line of 128 that never ends, cost at most 64 MiB.
func TestProcessMemory(t *testing.T) {
	longtest.Only(t)
	if raceDetector {
		t.Skip("the race detector's shadow memory would be counted")
	}
	p := start(t)
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.next()
	before := p.memory()
	if before == 0 {
		t.Skip("this system does not say how much memory a process has used")
	}
	chunk := strings.Repeat("x", 1<<20)
	write := func(mib int) {
		for range mib {
			if _, err := io.WriteString(p.in, chunk); err != nil {
				t.Fatal(err)
			}
		}
	}
	io.WriteString(p.in, `{"jsonrpc":"2.0","id":"big","method":"tools/call","params":{"name":"x","arguments":{"text":"`)
	write(64)
	p.send(`"}}}`)
	if r := p.next(); r.Error == nil || r.Error.Code != -32600 || string(r.ID) != `"big"` {
		t.Errorf("%+v", r)
	}
	write(128)
	p.send("")
	p.next()
	if grown := p.memory() - before; grown > 64<<10 {
		t.Errorf("grew by %d KiB", grown)
	}
	p.in.Close()
	p.ends()
}

// Over HTTP too, with a Content-Length and without.
func TestProcessMemoryHTTP(t *testing.T) {
	longtest.Only(t)
	if raceDetector {
		t.Skip("the race detector's shadow memory would be counted")
	}
	p := startAs(t, "http")
	url, err := p.out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	h := &httpServer{t: t, url: strings.TrimSpace(url)}
	sess := h.hello("2025-11-25")
	before := p.memory()
	if before == 0 {
		t.Skip("this system does not say how much memory a process has used")
	}
	text := strings.Repeat("x", MaxMessage-len(call("1", "x", `{"text":""}`)))
	if a := h.send("POST", call("1", "x", `{"text":"`+text+`"}`), sess); a.status != 200 || a.messages(t)[0].Error == nil {
		t.Errorf("%d", a.status)
	}
	for _, head := range []string{fmt.Sprintf("Content-Length: %d\r\n\r\n", 64<<20), "Transfer-Encoding: chunked\r\n\r\n"} {
		c, err := net.Dial("tcp", strings.TrimSuffix(strings.TrimPrefix(h.url, "http://"), setup.HTTPPath))
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, rawHead+head)
		for range 64 {
			if _, err := fmt.Fprintf(c, "%x\r\n%s\r\n", 1<<20, strings.Repeat("x", 1<<20)); err != nil {
				break
			}
		}
		c.Close()
	}
	if grown := p.memory() - before; grown > 64<<10 {
		t.Errorf("grew by %d KiB", grown)
	} else {
		t.Logf("grew by %d KiB", grown)
	}
	if err := p.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	p.ends()
}

// The largest messages that are accepted cost a server with a store at most 64 MiB, one after the other, whatever they hold.
func TestProcessMemoryOfTools(t *testing.T) {
	longtest.Only(t)
	if raceDetector {
		t.Skip("the race detector's shadow memory would be counted")
	}
	for range 3 { // on a busy machine the collector may be late: what a call needs, it needs each time
		if grown := memoryOfTools(t); grown <= 64<<10 {
			return
		}
	}
	t.Error("the process grew by more than 64 MiB each time")
}

// memoryOfTools returns the growth of a new process by a message of the largest size for each tool, in KiB.
func memoryOfTools(t *testing.T) (grown int) {
	t.Setenv("SDD_TEST_DIR", t.TempDir())
	p := startAs(t, "store")
	p.send(call("1", "sdd_search", `{"query":"warm"}`))
	p.next()
	before := p.memory()
	if before == 0 {
		t.Skip("this system does not say how much memory a process has used")
	}
	fill := func(begin, unit, end string) string {
		return begin + strings.Repeat(unit, (MaxMessage-1000-len(begin)-len(end))/len(unit)) + end
	}
	const line = `- some words that a person \"writes\" on lines\n`
	for name, message := range map[string]string{
		"explore":      call("2", "sdd_explore", fill(`{"title":"Big","goals":"`, line, `"}`)),
		"learn":        call("2", "sdd_learn", fill(`{"content":"`, line, `"}`)),
		"learn text":   call("2", "sdd_learn", fill(`{"text":"`, line, `"}`)),
		"decide":       call("2", "sdd_decide", fill(`{"decision":"`, line, `"}`)),
		"fact":         call("2", "sdd_fact", fill(`{"content":"`, line, `"}`)),
		"search":       call("2", "sdd_search", fill(`{"query":"`, line, `"}`)),
		"context":      call("2", "sdd_context", fill(`{"query":"`, line, `"}`)),
		"get":          call("2", "sdd_get", fill(`{"id":"`, line, `"}`)),
		"numbers":      call("2", "sdd_get", fill(`{"id":"x","sections":[`, `1,`, `1]}`)),
		"objects":      call("2", "sdd_get", fill(`{"id":"x","sections":[`, `{},`, `{}]}`)),
		"empty texts":  call("2", "sdd_get", fill(`{"id":"x","sections":[`, `"",`, `""]}`)),
		"many names":   call("2", "sdd_get", fill(`{`, `"a":1,`, `"id":"x"}`)),
		"unknown tool": call("2", "nothing", fill(`{"x":[`, `[],`, `1]}`)),
		"meta":         fill(`{"jsonrpc":"2.0","id":2,"method":"ping","params":{"_meta":{`, `"a":1,`, `"b":2}}}`),
		"capabilities": fill(`{"jsonrpc":"2.0","id":2,"method":"initialize","params":{"capabilities":{"experimental":{`, `"a":{},`, `"b":{}}}}}`),
		"response":     fill(`{"jsonrpc":"2.0","id":"ask-1","result":{"content":"`, line, `"}}`) + "\n" + `{"jsonrpc":"2.0","id":2,"method":"ping"}`,
		"batch":        fill(`[`, `{},`, `{}]`),
	} {
		p.send(message)
		if r := p.next(); r.Error == nil && name != "response" && !strings.Contains(string(r.Result), `"isError":true`) && name != "learn text" {
			t.Errorf("%s: %s", name, r.Result)
		}
		if now := p.memory() - before; now > grown {
			t.Logf("grew by %d KiB after %s", now, name)
			grown = now
		}
	}
	p.in.Close()
	p.ends()
	return grown
}

// memory returns the most memory that the process ever had, in KiB.
func (p *process) memory() int {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Process.Pid))
	if err != nil {
		return 0
	}
	m := regexp.MustCompile(`VmHWM:\s+(\d+)`).FindSubmatch(status)
	if m == nil {
		return 0
	}
	kib, _ := strconv.Atoi(string(m[1]))
	return kib
}
