package fault

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestFailureOf(t *testing.T) {
	secret := errors.New("open /home/someone/x: permission denied")
	tests := []struct {
		err  error
		want Failure
	}{
		{New(Invalid, "title is required").For("title").With("give one"), Failure{"error", Invalid, "title is required", "give one"}},
		{New(Invalid, "too long").For("title"), Failure{"error", Invalid, "title: too long", ""}},
		{fmt.Errorf("saving: %w", New(Broken, "bad YAML").At("a.md", 3)), Failure{"error", Broken, "a.md:3: bad YAML", ""}},
		{&Error{Code: Unwritable, Message: "the store cannot be written", Cause: secret}, Failure{"error", Unwritable, "the store cannot be written", ""}},
		{context.Canceled, Failure{"error", Unavailable, "the call was ended before it was done", "call again"}},
	}
	for _, test := range tests {
		if got := FailureOf(test.err); got != test.want {
			t.Errorf("%v: %+v", test.err, got)
		}
	}
	for _, err := range []error{secret, fmt.Errorf("x: %w", secret), New(Internal, "%v", secret)} {
		if got := FailureOf(err); got.Code != Internal || strings.Contains(got.Message+got.Hint, "someone") {
			t.Errorf("%v: %+v", err, got)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"sdd_explore", "sdd_search", "sdd_get", "title", "if_match", "max_tokens"}
	for name, want := range map[string]string{
		"sdd_expore": "sdd_explore", "explore": "sdd_explore", "search": "sdd_search", "SDD_GET": "sdd_get",
		"tilte": "title", "ifmatch": "if_match", "maxtokens": "max_tokens", "": "", "zzz": "", "x": "",
	} {
		got := strings.Join(Nearest(name, names), " ")
		if !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("Nearest(%q) = %q, want %q first", name, got, want)
		}
	}
	if got := Nearest(strings.Repeat("sdd_get", 1<<20), names); len(got) > 3 {
		t.Error(got)
	}
}
