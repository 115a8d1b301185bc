//go:build unix

package docs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf16"

	"sdd/internal/docs/inventory"
	"sdd/internal/fault"
)

// TestHostilePages looks up an object whose page or address is broken or means harm, and demands the one answer each
// has. code "" means that a description must come.
func TestHostilePages(t *testing.T) {
	wide := func(n int, s string) string { return strings.Repeat(s, n) }
	utf16le := func(s string) string {
		b := []byte{0xFF, 0xFE}
		for _, u := range utf16.Encode([]rune(s)) {
			b = append(b, byte(u), byte(u>>8))
		}
		return string(b)
	}
	object := `<dl><dt id="x" class="sig"><b class="descname">x</b></dt><dd><p>Text of x.</p></dd></dl>`
	for _, tt := range []struct {
		name, uri, page, code string
	}{
		{"up", "../secret.html#x", "", OutsideSource},
		{"up, encoded", "%2e%2e/secret.html#x", "", OutsideSource},
		{"up, after a folder", "a/../../secret.html#x", "", OutsideSource},
		{"up with backslashes", `..\secret.html#x`, "", OutsideSource},
		{"absolute", "/etc/passwd#x", "", OutsideSource},
		{"file URL", "file:///etc/passwd#x", "", OutsideSource},
		{"another host", "http://example.org/x.html#x", "", OutsideSource},
		{"host without scheme", "//example.org/x.html#x", "", OutsideSource},
		{"script", "javascript:alert(1)#x", "", OutsideSource},
		{"NUL", "a%00b.html#x", "", OutsideSource},
		{"missing", "none.html#x", "", PageNotFound},
		{"a file for a folder", "page.html/more.html#x", object, PageNotFound},
		{"endless name", wide(5000, "a") + ".html#x", "", PageNotFound},
		{"empty page", "page.html#x", "", NotHTML},
		{"text", "page.html#x", "nothing but text", NotHTML},
		{"binary", "page.html#x", wide(4000, "\x00\x01\xfe"), NotHTML},
		{"no anchor", "page.html#y", object, AnchorNotFound},
		{"anchor in a comment", "page.html#y", object + `<!-- <p id="y">no</p> -->`, AnchorNotFound},
		{"anchor in a script", "page.html#y", object + `<script>"<p id='y'>no</p>"</script>`, AnchorNotFound},
		{"two anchors alike", "page.html#Y", object + `<p id="y_1"></p><p id="y-1"></p>`, AnchorNotFound},
		{"17 MiB", "page.html#x", object + wide(17<<16, "<p>0123456789</p"), TooLarge},
		{"million elements", "page.html#x", object + wide(5<<20, "<b>"), TooLarge},
		{"million attributes", "page.html#x", object + "<p " + wide(3<<20, "id ") + ">", TooLarge},
		{"many attributes", "page.html#x", object + "<p " + wide(1<<17, "id ") + ">", ""},
		{"million anchors", "page.html#x", object + func() string {
			var b strings.Builder
			for i := range 150_000 {
				fmt.Fprintf(&b, "<p id=%x>", i)
			}
			return b.String()
		}(), TooLarge},
		{"9 MiB of script", "page.html#x", object + "<script>" + wide(9<<20, "a"), TooLarge},
		{"endless text at the anchor", "page.html#q", "<div id=q>" + wide(5<<16, "<p>word word word"), TooLarge},
		{"endless list at the anchor", "page.html#q", "<ul id=q>" + wide(400_000, "<li>[a]*_"), TooLarge},
		{"10 MiB", "page.html#x", object + wide(10<<14, "<p>"+wide(7, "01234567")+"</p>\n"), ""},
		{"deep", "page.html#x", wide(100_000, "<div>") + object, ""},
		{"deep quotes", "page.html#q", "<div id=q>" + wide(100_000, "<blockquote>") + "text", ""},
		{"deep lists", "page.html#q", "<div id=q>" + wide(50_000, "<ul><li>a") + "text", TooLarge},
		{"formatting that comes again", "page.html#x", object + func() string {
			var b strings.Builder
			for i := range 400 {
				fmt.Fprintf(&b, "<b class=c%d>", i)
			}
			return b.String() + wide(100_000, "<p>x")
		}(), ""},
		{"open tags", "page.html#x", `<dl><dt id=x class=sig><b class=descname>x<dd>Text of x.<dl><dt>y<dd>Z`, ""},
		{"end tags only", "page.html#x", wide(10_000, "</div></p></b>") + object, ""},
		{"unclosed tag", "page.html#x", object + "<p class='", ""},
		{"references without end", "page.html#x", strings.Replace(object, "Text of x.", wide(10_000, "&lt"), 1), ""},
		{"invalid UTF-8", "page.html#x", strings.Replace(object, "Text", "T\xffext", 1), ""},
		{"UTF-16", "page.html#x", utf16le("<html>" + object), ""},
		{"Latin-1", "page.html#x", `<meta charset="iso-8859-1">` + strings.Replace(object, "Text", "T\xe9xt", 1), ""},
		{"unknown charset", "page.html#x", `<meta charset="klingon">` + object, ""},
		{"id twice", "page.html#x", object + `<p id="x">another</p>`, ""},
		{"two # in the address", "page.html#document-a#x", object, ""},
		{"wide table", "page.html#q", "<table id=q><tr>" + wide(100_000, "<td>c"), ""},
		{"huge spans", "page.html#q", "<table id=q><tr><td colspan=2000000000>c<td>d", ""},
		{"backticks", "page.html#q", "<pre id=q>" + wide(10_000, "`") + "\n" + wide(5000, "`") + "</pre>", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := demo(t, "x py:function 1 "+tt.uri+" -\n", map[string]string{"page.html": tt.page, "../secret.html": object})
			res := explore(t, anyPath(), dir, "x", Options{})
			switch {
			case tt.code == "" && (len(res.Documents) != 1 || *res.Documents[0].Documentation.Description == "" && tt.name != "deep"):
				t.Errorf("no text: %.300v", res)
			case tt.code != "" && (len(res.Errors) != 1 || res.Errors[0].Code != tt.code || res.Errors[0].Error == ""):
				t.Errorf("not %s: %+v", tt.code, res.Errors)
			}
			if tt.code == "" && len(res.Documents) == 1 {
				if _, raw := plainLetters(*res.Documents[0].Documentation.Description); raw {
					t.Error("HTML in the description")
				}
			}
		})
	}
}

// TestHostileFiles puts other things where a page or an inventory is expected.
func TestHostileFiles(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.html")
	if err := os.WriteFile(secret, []byte(`<p id="x">secret</p>`), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, code string
		make       func(page string) error
	}{
		{"link out", OutsideSource, func(p string) error { return os.Symlink(secret, p) }},
		{"link in a circle", PageNotFound, func(p string) error { return os.Symlink("page.html", p) }},
		{"pipe", NotHTML, func(p string) error { return syscall.Mkfifo(p, 0o666) }},
		{"device", OutsideSource, func(p string) error { return os.Symlink("/dev/zero", p) }},
		{"folder without a page", PageNotFound, func(p string) error { return os.Mkdir(p, 0o777) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := demo(t, "x py:function 1 page.html#x -\n", nil)
			if err := tt.make(filepath.Join(dir, "page.html")); err != nil {
				t.Skip(err)
			}
			res := explore(t, anyPath(), dir, "x", Options{})
			if len(res.Errors) != 1 || res.Errors[0].Code != tt.code {
				t.Errorf("not %s: %+v", tt.code, res)
			}
		})
	}
}

// TestBrokenSources demands an error of the call for what is no inventory.
func TestBrokenSources(t *testing.T) {
	good := inventoryOf(demoLines)
	for _, tt := range []struct {
		name, src string
		cause     error
	}{
		{"empty", "", inventory.ErrNotInventory},
		{"cut", good[:len(good)-9], inventory.ErrCorrupt},
		{"bad checksum", good[:len(good)-1] + "!", inventory.ErrCorrupt},
		{"version 5", strings.Replace(good, "version 2", "version 5", 1), inventory.ErrVersion},
		{"HTML", demoPage, inventory.ErrNotInventory},
		{"endless line", inventoryOf(strings.Repeat("x", 1<<20)), inventory.ErrTooLarge},
		{"bomb", bomb("x py:data 1 a -\n"), inventory.ErrTooLarge},
	} {
		dir := t.TempDir()
		put(t, dir, "objects.inv", tt.src)
		_, err := anyPath().Explore(context.Background(), dir, "x", Options{})
		f := fault.Of(err)
		if !errors.Is(err, tt.cause) || f.Code != fault.Broken || f.Arg != "source" || f.Hint == "" || !strings.Contains(f.Message, "objects.inv") {
			t.Errorf("%s: %#v", tt.name, f)
		}
	}
	dir := t.TempDir()
	if err := syscall.Mkfifo(filepath.Join(dir, "objects.inv"), 0o666); err != nil {
		t.Skip(err)
	}
	if _, err := anyPath().Explore(context.Background(), dir, "x", Options{}); !fault.Is(err, fault.Unavailable) {
		t.Errorf("a pipe: %v", err)
	}
}
