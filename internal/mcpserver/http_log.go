package mcpserver

import (
	"cmp"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// requestLog notes who asked and how it went, a line for each request when it is done. It holds nothing of what was
// asked or answered: no arguments, no ids, no addresses of records; of paths and methods those that there are.
type requestLog struct {
	mu  sync.Mutex
	out io.Writer
}

func newRequestLog(out io.Writer) *requestLog {
	if out == nil {
		out = io.Discard
	}
	return &requestLog{out: out}
}

func (l *requestLog) add(x *exchange, start time.Time) {
	who, _, _ := net.SplitHostPort(x.r.RemoteAddr)
	verb := "-"
	switch x.r.Method {
	case "GET", "POST", "DELETE":
		verb = x.r.Method
	}
	line := fmt.Sprintf("%s %s %s %s %s %d %dB %dms\n", start.UTC().Format(time.RFC3339), cmp.Or(who, "-"), verb, cmp.Or(x.path, "-"),
		cmp.Or(logged[x.method], "-"), x.status, x.sent, time.Since(start).Milliseconds())
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = io.WriteString(l.out, line)
}

// logged are the methods that are named in the log.
var logged = func() map[string]string {
	all := map[string]string{}
	for _, m := range []mcp.MCPMethod{
		mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodResourcesList,
		mcp.MethodResourcesTemplatesList, mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
		mcp.MethodPromptsList, mcp.MethodPromptsGet, mcp.MethodCompletionComplete, mcp.MethodSubscriptionsListen, mcp.MethodSetLogLevel,
		"notifications/initialized", "notifications/cancelled", mcp.MCPMethod(mcp.MethodNotificationProgress),
	} {
		all[string(m)] = string(m)
	}
	return all
}()
