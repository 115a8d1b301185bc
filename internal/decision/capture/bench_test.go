package capture

import (
	"strings"
	"testing"
)

// BenchmarkFind reads a megabyte of the corpus' long answers.
func BenchmarkFind(b *testing.B) {
	var text strings.Builder
	for text.Len() < 1<<20 {
		for _, a := range corpus[answer](b, "testdata/answers.jsonl") {
			text.WriteString(a.Text + "\n")
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Find(text.String())
	}
}
