package index

import (
	"slices"
	"strings"
	"testing"
)

func TestFuse(t *testing.T) {
	for _, c := range []struct{ rankings, want string }{
		{"", ""},
		{"a b c", "a b c"},
		{"a b c|", "a b c"},
		{"a b c|c b a", "a c b"},     // ends beat middles: 1/61+1/63 > 2/62
		{"a b c|b c a", "b a c"},     // what both have near the top comes first
		{"a b|c d", "a c b d"},       // nothing in common: by place, the first ranking first
		{"a a b|b", "b a"},           // twice counts once
		{"a b c d|d|d", "d a b c"},   // two rankings agree on the last of the first
		{"a|b|b c|c a", "b a c"},     // 2/61, and twice 1/61+1/62: the earlier first
		{"x y z|p q r|x q", "x q p"}, // cut below
	} {
		var rankings [][]string
		for r := range strings.SplitSeq(c.rankings, "|") {
			rankings = append(rankings, strings.Fields(r))
		}
		want := strings.Fields(c.want)
		got := Fuse(rankings...)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("Fuse(%s) = %v, want %v", c.rankings, got, want)
		}
	}
}
