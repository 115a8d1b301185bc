package index

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTopicTellsTheWeights: what sdd help ranking says is what is computed with.
func TestTopicTellsTheWeights(t *testing.T) {
	data, err := os.ReadFile("../cli/help/topics/ranking.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(strings.Fields(string(data)), " ")
	for _, want := range []string{
		fmt.Sprintf("as it is written (%d %%), without its accents (%d %%), by its stem in the language of the record (%d %%)", exactly, unaccented, byStem),
		fmt.Sprintf("from %d letters on, as the start of another word (%d %%)", minPrefix, byPrefix),
		fmt.Sprintf("BM25 (k1 = %v, b = %v)", saturation, lengthBias),
		fmt.Sprintf("a word of the title %d times and one of a heading twice", titleWeight),
		fmt.Sprintf("from a built-in list (%d %%; a third of that", synonymous),
		fmt.Sprintf("a slip of the nearest ones (%d %%)", misspelt),
		fmt.Sprintf("an identifier as it is written counts more (%d %%)", rareWeight),
		fmt.Sprintf("of its domain (%d %%), module (%d %%), code (%d %%), session (%d %%) or record (%d %%)", domainShare, moduleShare, codeShare, sessionShare, recordShare),
		fmt.Sprintf("of the one before (%d %%), of the one behind (%d %%) and of those two away (%d %%)", nextShare, beforeShare, secondShare),
		fmt.Sprintf("of records that it names (%d %%)", linkShare),
		fmt.Sprintf("the first passage counts more (%d %% added)", headBest),
		fmt.Sprintf("nothing but code or a table counts less (%d %%)", bareShare),
		fmt.Sprintf("1 / (%d + place)", fuseRank),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	if headingWeight != 2 {
		t.Error("it says that a word of a heading counts twice")
	}
}
