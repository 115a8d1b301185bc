package screens

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var updatePages = flag.Bool("update-pages", false, "write the output into the pages of .docs/tasks")

// TestTaskPages runs the shell blocks of each page of .docs/tasks in a copy of a small shop, on a terminal. What the page shows below
// a block is what the terminal gets. Dates, commits and the time something took may differ; a line … stands for any lines.
func TestTaskPages(t *testing.T) {
	t.Parallel()
	pages, err := filepath.Glob("../../../../.docs/tasks/*.md")
	if err != nil || len(pages) == 0 {
		t.Fatal(pages, err)
	}
	c := newClone(t, "shop")
	c.Write("README.md", "# Shop\n\nSells books by mail.\n")
	c.Write("internal/auth/jwt.go", "package auth\n\n// Sign signs a token with HS256.\nfunc Sign(token string, key []byte) string { return token }\n")
	c.SDD("init")
	c.SDD("explore", "User auth", "--goals", "- log in by mail\n- stay logged in for a month", "--decisions", "- magic links")
	c.SDD("decide", "Use magic links instead of passwords", "--reason", "no passwords to leak")
	c.Write(".sdd/facts/fact-0123456789ab-orders.md", "---\nid: fact-0123456789ab\nlevel: 0\nstatus: active\ncreated: 2026-01-05T09:00:00Z\n---\n\n"+
		"Orders are numbered from 1000\n")
	c.Commit("Start")
	billing := c.At(filepath.Join(filepath.Dir(c.Dir), "billing"))
	if err := os.Mkdir(billing.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	billing.Git("init", "-q", "-b", "main")
	billing.SDD("fact", "add", "Payments are retried three times")
	billing.Commit("Start")
	for _, page := range pages {
		t.Run(filepath.Base(page), func(t *testing.T) {
			home := t.TempDir()
			for _, name := range []string{"shop", "billing"} {
				if err := os.CopyFS(filepath.Join(home, name), os.DirFS(filepath.Join(filepath.Dir(c.Dir), name))); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.MkdirAll(filepath.Join(home, ".claude", "projects"), 0o755); err != nil {
				t.Fatal(err)
			}
			src, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			text, lines := string(src), ""
			for _, b := range fenced(text) {
				if b.of == "sh" {
					lines = b.text
				}
				if b.of != "sh" && b.of != "text" || b.of == "sh" && b.output {
					continue
				}
				cmd := c.With("HOME="+home, "EDITOR=true", "NO_COLOR=1", "TERM=xterm", "COLUMNS=100").Command("sh", "-euc", lines)
				cmd.Dir = filepath.Join(home, "shop")
				got := strings.ReplaceAll(string(sentBy(t, cmd)), home, "/home/ann")
				got = progress.ReplaceAllString(strings.ReplaceAll(got, "\r\n", "\n"), "")
				if code := cmd.ProcessState.ExitCode(); code != 0 && code != 5 {
					t.Errorf("exit code %d of\n%s%s", code, lines, got)
				}
				if b.of == "text" && !shows(b.text, got) {
					t.Errorf("the page shows another output of\n%s%s", lines, cmp.Diff(b.text, got))
					text = strings.Replace(text, lines+"```\n\n"+b.whole, lines+"```\n\n````text\n"+got+"````", 1)
				}
			}
			if *updatePages && text != string(src) {
				if err := os.WriteFile(page, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

var (
	progress = regexp.MustCompile(`[^\n]*\r\x1b\[K`)
	varying  = regexp.MustCompile(`\b20\d\d-\d\d-\d\d([T ]\d\d:\d\d(:\d\d)?(Z|\+\d\d:\d\d)?)?|\b[0-9a-f]{7,40}\b|\b\d+ ms\b`)
)

// block is a fenced block of a page.
type block struct {
	of, text string
	whole    string // with its fences
	output   bool   // a block of text follows
}

// fenced lists the blocks of a page.
func fenced(page string) (all []block) {
	for rest := page; ; {
		from := strings.Index("\n"+rest, "\n```")
		if from < 0 {
			return all
		}
		rest = rest[from:]
		first, body, _ := strings.Cut(rest, "\n")
		of := strings.TrimLeft(first, "`")
		fence := first[:len(first)-len(of)]
		end := strings.Index("\n"+body, "\n"+fence+"\n")
		if of == "text" && len(all) > 0 && strings.HasSuffix(page[:len(page)-len(rest)], all[len(all)-1].whole+"\n\n") {
			all[len(all)-1].output = true
		}
		whole := rest[:len(first)+1+end+len(fence)]
		all = append(all, block{of: of, text: body[:end], whole: whole})
		rest = rest[len(whole):]
	}
}

// shows reports whether a page's text is the output.
func shows(want, got string) bool {
	parts := strings.Split(varying.ReplaceAllString(want, "*"), "…\n")
	for n := range parts {
		parts[n] = regexp.QuoteMeta(parts[n])
	}
	return regexp.MustCompile(`(?s)\A` + strings.Join(parts, ".*") + `\z`).MatchString(varying.ReplaceAllString(got, "*"))
}
