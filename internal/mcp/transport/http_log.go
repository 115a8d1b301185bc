package transport

import (
	"cmp"
	"net"
	"slices"
	"time"

	"github.com/mark3labs/mcp-go/mcp"
)

// log writes a line about a finished request: its sender, its time and its result. The line has no content of the request or
// the answer: no arguments, no ids, no addresses of records, and only known paths and methods.
func (x *exchange) log(start time.Time) {
	who, _, _ := net.SplitHostPort(x.r.RemoteAddr)
	verb, method := "-", "-"
	if slices.Contains([]string{"GET", "POST", "DELETE"}, x.r.Method) {
		verb = x.r.Method
	}
	if slices.Contains(loggedMethods, mcp.MCPMethod(x.method)) {
		method = x.method
	}
	x.h.requests.Printf("%s %s %s %s %s %d %dB %dms", start.UTC().Format(time.RFC3339), cmp.Or(who, "-"), verb, cmp.Or(x.path, "-"),
		method, x.status, x.sent, time.Since(start).Milliseconds())
}

// loggedMethods are the methods that the log names.
var loggedMethods = []mcp.MCPMethod{
	mcp.MethodInitialize, mcp.MethodPing, mcp.MethodServerDiscover, mcp.MethodToolsList, mcp.MethodToolsCall, mcp.MethodResourcesList,
	mcp.MethodResourcesTemplatesList, mcp.MethodResourcesRead, mcp.MethodResourcesSubscribe, mcp.MethodResourcesUnsubscribe,
	mcp.MethodPromptsList, mcp.MethodPromptsGet, mcp.MethodCompletionComplete, mcp.MethodSubscriptionsListen, mcp.MethodSetLogLevel,
	"notifications/initialized", "notifications/cancelled", mcp.MCPMethod(mcp.MethodNotificationProgress),
}
