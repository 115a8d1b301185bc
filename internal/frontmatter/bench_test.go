package frontmatter

import (
	"strings"
	"testing"
)

const benchBlock = "---\ntitle: Single sign-on with OIDC\nproject: demo\nscope: project\nrevision: 3\ncreated: \"2026-11-21\"\nsession_id: manual-save\n---\n"

var benchRecord = []byte(benchBlock + "\n" + strings.Repeat("Some text of a section that goes on.\n", 50))

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(benchRecord); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkParseSlow has a value that only YAML proper reads.
func BenchmarkParseSlow(b *testing.B) {
	src := []byte(strings.Replace(string(benchRecord), "demo", "|\n  demo", 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseNoBlock(b *testing.B) {
	src := benchRecord[len(benchBlock):]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkApply(b *testing.B) {
	order := []string{"title", "project", "scope", "revision", "created"}
	sets := []Set{{"title", "Single sign-on with OIDC"}, {"revision", 4}, {"session_id", "other"}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Apply(benchRecord, order, sets); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMerge(b *testing.B) {
	ours := []byte(strings.Replace(string(benchRecord), "revision: 3", "revision: 4", 1))
	theirs := []byte(strings.Replace(string(benchRecord), "scope: project", "scope: personal", 1))
	b.ReportAllocs()
	for b.Loop() {
		if _, conflicts := Merge(benchRecord, ours, theirs, nil, Labels{}); len(conflicts) > 0 {
			b.Fatal(conflicts)
		}
	}
}
