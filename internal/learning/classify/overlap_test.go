package classify

import (
	"reflect"
	"testing"
)

func TestOverlaps(t *testing.T) {
	for _, c := range []struct {
		name  string
		texts []string
		want  []Overlap
	}{
		{"the same but for articles and signs", []string{"Tests must use Vitest, not Jest.", "tests use Vitest, never Jest"}, []Overlap{{1, 0, true}}},
		{"three of one", []string{"Run the tests first", "Run tests first.", "Always run tests first"}, []Overlap{{1, 0, true}, {2, 0, true}}},
		{"a longer one has it whole", []string{"Use pnpm for installs.", "Use pnpm for installs. The lock file is of version 9."}, []Overlap{{0, 1, false}}},
		{"a longer one gives the reason", []string{"Do not call sleep in tests", "Do not call sleep in tests, because CI is slow"}, []Overlap{{0, 1, false}}},
		{"the same of one that is covered", []string{"Use pnpm for installs", "Use pnpm for the installs", "Use pnpm for installs. Never npm here."},
			[]Overlap{{1, 2, false}, {0, 2, false}}},
		{"another word", []string{"Branch off `main` with git checkout", "Branch off `master` with git checkout"}, nil},
		{"another order", []string{"The server calls the client", "The client calls the server"}, nil},
		{"denied", []string{"Use the cache in tests", "Do not use the cache in tests"}, nil},
		{"a condition", []string{"Use pnpm for installs", "Use pnpm for installs in the web folder"}, nil},
		{"another number", []string{"The port is 8080 there", "The port is 8081 there"}, nil},
		{"another sign", []string{"✅ Fix the `routes` command", "❌ Fix the `routes` command"}, nil},
		{"a question", []string{"Use pnpm for installs?", "Use pnpm for installs."}, nil},
		{"too short", []string{"Thanks a lot", "thanks, lot!", ""}, nil},
		{"sentences of two texts", []string{"Use pnpm for it. Use Go for it.", "Use pnpm for it. Never wait.", "Use Go for it. Never wait."}, nil},
	} {
		if got := Overlaps(c.texts); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}

func BenchmarkOverlaps10000(b *testing.B) {
	texts := older(10_000)
	for b.Loop() {
		Overlaps(texts)
	}
}
