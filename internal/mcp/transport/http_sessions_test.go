package transport_test

import (
	"net/http"
	"testing"
)

// A session that is in use does not expire.
func TestHTTPSessionInUse(t *testing.T) {
	h := shelfHTTP(t, newShelf(), nil)
	used := h.hello("2025-11-25")
	stream := h.open(t.Context(), "GET", "", used)
	h.hello("2025-11-25")
	if h.Expire("/mcp"); h.Sessions("/mcp") != 1 {
		t.Errorf("%d sessions", h.Sessions("/mcp"))
	}
	if a := h.send("POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, used); a.status != http.StatusOK {
		t.Errorf("%+v", a)
	}
	stream.Body.Close()
	until(t, "the other session has ended too", func() bool {
		h.Expire("/mcp")
		return h.Connections() == 0
	})
}
