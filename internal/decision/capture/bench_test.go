package capture

import (
	"strings"
	"testing"

	_ "sdd/internal/longtest"
)

// BenchmarkFind reads a megabyte of paragraphs.
func BenchmarkFind(b *testing.B) {
	var text strings.Builder
	for text.Len() < 1<<20 {
		for _, a := range examples {
			text.WriteString(a + "\n\n")
		}
	}
	b.SetBytes(int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		Find(text.String())
	}
}
