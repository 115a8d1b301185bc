package catalog

import (
	"encoding/json"
	"slices"
	"testing"
)

// Every output schema that is listed admits a failure, because clients check those too.
func TestListedOutputAdmitsFailures(t *testing.T) {
	got := string(orFailure(json.RawMessage(`{"type":"object","required":["id"],"properties":{"id":{"type":"string"}}}`)))
	want := `{"anyOf":[{"required":["id"]},{"required":["code","message"]}],"properties":{"id":{"type":"string"}},"type":"object"}`
	if got != want {
		t.Errorf("%s", got)
	}
	for _, as := range []string{``, `{"type":"object"}`} {
		if got := string(orFailure(json.RawMessage(as))); got != as {
			t.Errorf("%q became %q", as, got)
		}
	}
}

func TestCompletionRank(t *testing.T) {
	got := rank([]string{"beta", "Alphabet", "al", "beta", "gamma", "metal"}, "AL")
	if want := []string{"Alphabet", "al", "metal"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
