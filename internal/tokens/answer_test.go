package tokens

import (
	"strings"
	"testing"

	_ "sdd/internal/longtest"
)

func TestAnswerWithin(t *testing.T) {
	short := "a few words"
	long := map[string]string{"text": strings.Repeat("one more word ", 40)} // more than 120 tokens
	for _, c := range []struct {
		what   string
		text   string
		v      any
		budget int
		want   bool
	}{
		{"both", short, map[string]string{"text": short}, 100, true},
		{"the JSON is too long", short, long, 100, false},
		{"the JSON may be too long", short, long, 99, true},
		{"the text is too long", long["text"], map[string]string{}, 100, false},
		{"the text is too long for less", long["text"], map[string]string{}, 99, false},
	} {
		if got := WithinBoth(c.text, c.v, c.budget); got != c.want {
			t.Errorf("%s: %t", c.what, got)
		}
	}
	if got, want := JSON(map[string]any{"text": "<a> & b", "list": []int{}}), `{"list":[],"text":"\u003ca\u003e \u0026 b"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
