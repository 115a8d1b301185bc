package eval

import (
	"slices"
	"testing"
)

// TestTouching lists what clients' transcripts have of a file that is read or edited.
func TestTouching(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"Tool use: **Read** `./pkg/a.go`\n", "./pkg/a.go"},
		{"<summary>Tool use: **Read**</summary>\n `./pkg/a.go`\n", "./pkg/a.go"},
		{"```text\nThe file /home/me/x/pkg/a.go has been updated. Here", "/home/me/x/pkg/a.go"},
		{"<details><summary>Edit file: /home/me/My Drive/x/a.go</summary>", "/home/me/My Drive/x/a.go"},
		{"Read file: src/a.ts\n", "src/a.ts"},
		{"<summary>Apply patch for C:\\x\\a.ts</summary>", `C:\x\a.ts`},
		{"• Reading [](file:///home/me/x/a.ex#1-1)</summary>", "/home/me/x/a.ex"},
		{"- filePath: `/home/me/x/a.ex`\n", "/home/me/x/a.ex"},
		{"| `file:///home/me/x/a.ts` | L26 |", ""},
		{"Tool use: **Grep** `a.go`\n", ""},
		{"I read the file a.go", ""},
	} {
		got := ""
		if m := touching.FindStringSubmatch(c.text); m != nil {
			got = m[1]
		}
		if got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

func TestWithin(t *testing.T) {
	tracked := []string{"README.md", "cli/main.go", "cli/pkg/a.go", "web/README.md", "web/pkg/b.ts"}
	for _, c := range []struct{ name, want string }{
		{"cli/pkg/a.go", "cli/pkg/a.go"},
		{"pkg/a.go", "cli/pkg/a.go"},
		{"/home/me/x/cli/pkg/a.go", "cli/pkg/a.go"},
		{"/home/me/y/README.md", ""},
		{"README.md", "README.md"},
		{"b.ts", "web/pkg/b.ts"},
		{"c.ts", ""},
	} {
		if got := within(slices.Clone(tracked), c.name); got != c.want {
			t.Errorf("%q: %q, want %q", c.name, got, c.want)
		}
	}
}
