package capture

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// laws checks what holds for every text.
func laws(t *testing.T, text string) {
	t.Helper()
	found := Find(text)
	lines := 1 + strings.Count(text, "\n")
	for _, d := range found {
		switch {
		case d.Sentence == "" || d.Decision == "" || d.Rule == "":
			t.Errorf("incomplete: %+v", d)
		case d.Confidence < least || d.Confidence > 1:
			t.Errorf("confidence: %+v", d)
		case d.Line < 1 || d.Line > lines:
			t.Errorf("line %d of %d: %+v", d.Line, lines, d)
		case !slices.Contains([]string{"accepted", "proposed", "superseded"}, d.Status):
			t.Errorf("status: %+v", d)
		case !utf8.ValidString(d.Sentence) || !utf8.ValidString(d.Decision) || strings.Contains(d.Sentence, "\n"):
			t.Errorf("text: %+v", d)
		}
		for k := range partKinds {
			for i, p := range *d.parts(k) {
				if p == "" || !utf8.ValidString(p) || slices.Contains((*d.parts(k))[:i], p) {
					t.Errorf("part %q of %+v", p, d)
				}
			}
		}
	}
	if again := Find(text); !reflect.DeepEqual(found, again) {
		t.Errorf("%q gives other decisions the second time:\n%+v\n%+v", text, found, again)
	}
}

func FuzzFind(f *testing.F) {
	for _, a := range examples {
		f.Add(a)
	}
	for _, s := range []string{"", "\ufeff# Decision\r\n\r\nUse it.\r\n", "---\nstatus: x\n---", "| a |\n|-|\n| |", "Decision:", "`", "«We", "> ", "Decision: `", "\xff We chose \xfe over x.", "We chose \"a\" over \"b c d e f g h\".", "’ll", "l’", "1.", "- [x] Decision: - x", "Go for! The reason is"} {
		f.Add(s)
	}
	f.Fuzz(laws)
}

func TestLaws(t *testing.T) {
	for _, c := range examples {
		laws(t, c)
		for i := range c { // every start and end of it
			if i%7 == 0 {
				laws(t, strings.ToValidUTF8(c[:i], ""))
				laws(t, c[i:])
			}
		}
	}
}

// TestQuoted: a decision in a quote or in code does not count.
func TestQuoted(t *testing.T) {
	for _, c := range examples {
		for _, text := range []string{"> " + c, "```\n" + c + "\n```", "<!-- " + c + " -->", "~~~\n" + c} {
			if found := Find(text); len(found) > 0 {
				t.Errorf("%q: %+v", text, found)
			}
		}
	}
}

// TestQuestions: asked, it is not decided.
func TestQuestions(t *testing.T) {
	for _, c := range examples {
		text := strings.TrimRight(c, ".!。") + "?"
		if found := Find(text); len(found) > 0 && len(sentencesOf(textBlock{text: text})) == 1 {
			t.Errorf("%q: %+v", text, found)
		}
	}
}

// TestHostile reads texts that would take forever if any step were not linear.
func TestHostile(t *testing.T) {
	const n = 1 << 19
	for name, piece := range map[string]string{
		"backticks": "`a ``b ", "open quotes": "“we ", "joining words": "and so but then ", "one sentence": "we chose a over b because c, ", "brackets": "[](", "emphasis": "*a_ ",
		"dots": "a. ", "rows": "|a|b", "list": "- ", "spaces": " ", "quotes": "> > ", "headings": "# a\n", "labels": "Decision:\n", "decisions": "We chose b.\n\n", "fences": "```\n", "comments": "<!-- ",
		"apostrophes": "l'", "han": "因为决定使用", "long sentences": strings.Repeat("and because of ", 120) + "we. ", "different decisions": "",
	} {
		var b strings.Builder
		for i := 0; b.Len() < n; i++ {
			if piece == "" {
				b.WriteString("We chose b" + strings.Repeat("x", i%50) + string(rune('a'+i%26)) + strings.Repeat("y", i%31) + " over c.\n\n")
				continue
			}
			b.WriteString(piece)
		}
		t.Run(name, func(t *testing.T) { Find(b.String()) })
	}
}

// examples are sentences that tell a decision, and some that do not.
var examples = []string{
	"We decided to use Redis because it is already deployed.", "We went with Kafka over RabbitMQ for the event bus.", "We will keep one database.",
	"It has been decided that tokens expire after an hour.", "Use Kubernetes for the new platform.", "The endpoint will be private.",
	"Мы решили хранить логи в ClickHouse, потому что Postgres не справляется.", "Будем использовать gRPC вместо REST.", "Should it be so?", "The build is green.",
}
