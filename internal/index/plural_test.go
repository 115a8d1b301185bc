package index

import (
	"strings"
	"testing"
)

// TestOfOneOrMany compares the words of titles in which one is in the plural, and of some in which another word stands.
func TestOfOneOrMany(t *testing.T) {
	for _, pair := range strings.Split(`bus buses|lens lenses|alias aliases|canvas canvases|gas gases|quiz quizzes|virus viruses|status statuses|process processes|
		case cases|house houses|class classes|box boxes|index indices|index indexes|matrix matrices|vertex vertices|appendix appendices|person people|child children|
		criterion criteria|shelf shelves|analysis analyses|hypothesis hypotheses|query queries|key keys|release releases|database databases|response responses|
		prefix prefixes|use uses|cache caches|policy policies|person persons|branch branches|batch batches|bias biases|bonus bonuses|crisis crises|fix fixes|tax taxes`, "|") {
		one, many, _ := strings.Cut(strings.TrimSpace(pair), " ")
		a, b := titleWords("The "+one+" plan"), titleWords("The "+many+" plan")
		if strings.Join(a, " ") != strings.Join(b, " ") {
			t.Errorf("%s and %s: %q, %q", one, many, a, b)
		}
	}
	for _, pair := range strings.Split("new news|us use|car care|plan plane|form farm|host hose|test text", "|") {
		a, b, _ := strings.Cut(pair, " ")
		if strings.Join(titleWords(a), " ") == strings.Join(titleWords(b), " ") {
			t.Errorf("%s and %s are taken for one", a, b)
		}
	}
	if a, b := titleWords("Alpha betas"), titleWords("Alpha betas y"); strings.Join(b, " ") != strings.Join(a, " ")+" y" {
		t.Errorf("%q, %q", a, b)
	}
}
