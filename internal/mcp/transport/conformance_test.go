package transport_test

import (
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// A state that travels with the client leads to the next round, and one that the client made leads nowhere.
func TestFixtureStates(t *testing.T) {
	l := connect(t, newFixture(io.Discard))
	const modern = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`
	var r struct {
		ResultType, RequestState string
		Content                  []struct{ Text string }
	}
	round := func(tool, answers string) {
		t.Helper()
		l.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"inputResponses":{%s},"requestState":%q,%s}}`, tool, answers, r.RequestState, modern))
		said := l.next()
		r.ResultType, r.RequestState, r.Content = "", "", nil
		if said.Error != nil {
			r.ResultType = said.Error.Message
		} else if err := json.Unmarshal(said.Result, &r); err != nil {
			t.Fatal(err)
		}
	}
	const twice = "test_input_required_result_multi_round"
	round(twice, "")
	first := r.RequestState
	round(twice, `"step1":{"action":"accept","content":{"name":"Ann"}}`)
	if r.ResultType != "input_required" || r.RequestState == first {
		t.Fatalf("%+v", r)
	}
	second := r.RequestState
	round(twice, `"step2":{"action":"accept","content":{"color":"red"}}`)
	if r.ResultType != "complete" || len(r.Content) != 1 || r.Content[0].Text != "Your colour is red" {
		t.Fatalf("%+v", r)
	}
	r.RequestState = second + "-more"
	round(twice, `"step2":{"action":"accept","content":{"color":"red"}}`)
	if r.ResultType != "invalid params: the request state is not of this server" {
		t.Fatalf("%+v", r)
	}
	r.RequestState = ""
	round("test_input_required_result_request_state", "")
	round("test_input_required_result_request_state", `"confirm":{"action":"accept","content":{"ok":true}}`)
	if len(r.Content) != 1 || r.Content[0].Text != "state-ok" {
		t.Fatalf("%+v", r)
	}
}
