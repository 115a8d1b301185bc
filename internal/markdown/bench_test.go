package markdown

import (
	"fmt"
	"strings"
	"testing"
)

// benchRecord is an exploration of seven sections with two bullets each, about 2 KB.
func benchRecord(bullets int) []byte {
	var b strings.Builder
	for _, name := range []string{"Goals", "Constraints", "Preferences", "Unknowns", "Decisions", "Context", "Notes"} {
		fmt.Fprintf(&b, "## %s\n\n", name)
		for i := range bullets {
			fmt.Fprintf(&b, "- point %d about `%s` that is one line of prose long, as people write it, with **weight** and a [link](https://example.org)\n", i, name)
		}
		b.WriteString("\n")
	}
	return []byte(b.String())
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{2, 14} {
		src := benchRecord(n)
		b.Run(fmt.Sprintf("bytes=%d", len(src)), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(src, 0); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	src := benchRecord(2)
	text := "- one point\n- and another\n"
	for _, bm := range []struct {
		name    string
		changes []Change
	}{
		{"same", []Change{{Section: order[0], Text: string(sectionText(b, src, order[0]))}}},
		{"one", []Change{{Section: order[0], Text: text}}},
		{"append", []Change{{Section: order[0], Text: text, Op: Append}}},
		{"all", []Change{{Section: order[0], Text: text}, {Section: order[1], Text: text}, {Section: order[2], Text: text}, {Section: order[3], Text: text}, {Section: order[4], Text: text}, {Section: order[5], Text: text}}},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Update(src, 0, order, bm.changes); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func sectionText(t testing.TB, src []byte, k Known) string {
	d := mustParse(t, src, 0)
	return d.Text(d.Find(k)[0])
}
