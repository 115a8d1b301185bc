package symbol

import (
	"strings"
	"testing"

	_ "sdd/internal/longtest"
)

func BenchmarkParse(b *testing.B) {
	for name, src := range samples(b) {
		big := []byte(strings.Repeat(src+"\n", 1+500_000/len(src)))
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(big)))
			for b.Loop() {
				Parse(name, big)
			}
		})
	}
}
