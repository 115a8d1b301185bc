package markdown

import (
	"encoding/xml"
	"errors"
	"io"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestHTML(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"paragraph", "a *b* `c`", "<p>a <em>b</em> <code>c</code></p>\n"},
		{"table", "| a | b |\n|--:|---|\n| 1 | 2 |", "<table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n<th>b</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">1</td>\n<td>2</td>\n</tr>\n</tbody>\n</table>\n"},
		{"tasks", "- [x] done", "<ul>\n<li><input checked=\"\" disabled=\"\" type=\"checkbox\"> done</li>\n</ul>\n"},
		{"struck", "~~old~~", "<p><del>old</del></p>\n"},
		{"bare link", "see https://example.com/a?b=c&d", "<p>see <a href=\"https://example.com/a?b=c&amp;d\" rel=\"noopener noreferrer\">https://example.com/a?b=c&amp;d</a></p>\n"},
		{"mail", "<ann@example.com>", "<p><a href=\"mailto:ann@example.com\" rel=\"noopener noreferrer\">ann@example.com</a></p>\n"},
		{"no character reference", "<https://example.com/?a&copy=b>", "<p><a href=\"https://example.com/?a&amp;copy=b\" rel=\"noopener noreferrer\">https://example.com/?a&amp;copy=b</a></p>\n"},
		{"reference", "[a]\n\n[a]: https://example.com", "<p><a href=\"https://example.com\" rel=\"noopener noreferrer\">a</a></p>\n"},
		{"inline html", "a <b onclick=x>c</b>", "<p>a &lt;b onclick=x&gt;c&lt;/b&gt;</p>\n"},
		{"html block", "<script>\nalert(1)\n</script>\n", "<pre><code>&lt;script&gt;\nalert(1)\n&lt;/script&gt;\n</code></pre>\n"},
		{"image", "![alt](https://example.com/i.png)", "<p><a href=\"https://example.com/i.png\" rel=\"noopener noreferrer\">alt</a></p>\n"},
		{"image without text", "![](a.png)", "<p><a href=\"a.png\">image</a></p>\n"},
		{"script address", "[a](javascript:alert(1))", "<p><span class=\"nolink\">a</span></p>\n"},
		{"hidden script address", "[a](java&#x0A;script:alert(1)) [b](JAVASCRIPT&colon;alert(1)) [c](data:text/html,x) [d](vbscript:x) [e](file:///etc/passwd)",
			"<p><span class=\"nolink\">a</span> <span class=\"nolink\">b</span> <span class=\"nolink\">c</span> <span class=\"nolink\">d</span> <span class=\"nolink\">e</span></p>\n"},
		{"other host", "[a](//evil.example) [b](/\\evil.example) [c](\\\\\\\\evil.example) [d](https:evil.example)",
			"<p><span class=\"nolink\">a</span> <a href=\"/%5Cevil.example\">b</a> <a href=\"%5C%5Cevil.example\">c</a> <span class=\"nolink\">d</span></p>\n"},
		{"relative", "[a](../b.md#c)", "<p><a href=\"../b.md#c\">a</a></p>\n"},
		{"info string", "```\"><script>\nx\n```", "<pre><code class=\"language-&quot;&gt;&lt;script&gt;\">x\n</code></pre>\n"},
		{"attributes", "# a {#id onclick=x}", "<h1>a {#id onclick=x}</h1>\n"},
		{"title", "[a](b \"x onmouseover=y\")", "<p><a href=\"b\">a</a></p>\n"},
	} {
		if got := HTML(c.in, nil); got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	if got := HTML("[a](b.md) [c](d.md)", func(to string) string { return map[string]string{"b.md": "/b"}[to] }); got != "<p><a href=\"/b\">a</a> <span class=\"nolink\">c</span></p>\n" {
		t.Errorf("relative: %s", got)
	}
}

// TestHTMLIsBounded renders what takes a parser without limits minutes.
func TestHTMLIsBounded(t *testing.T) {
	for name, text := range map[string]string{
		"emphasis":    strings.Repeat("*a_ ", 100_000),
		"brackets":    strings.Repeat("[", 200_000),
		"images":      strings.Repeat("![", 100_000),
		"code":        strings.Repeat("`a``", 100_000),
		"long link":   "[a]\n\n[a]: https://example.com/" + strings.Repeat("x", 100_000) + "\n\n" + strings.Repeat("[a] ", 10_000),
		"short links": "[a]: https://example.com/" + strings.Repeat("x", 1000) + "\n\n" + strings.Repeat("[a] ", 1_000),
		"tags":        strings.Repeat("<a ", 100_000),
		"comments":    strings.Repeat("<!--", 100_000),
		"depth":       strings.Repeat("> ", 10_000) + "x",
		"mail":        strings.Repeat("a@", 100_000),
		"www":         strings.Repeat("www.", 100_000),
		"entities":    strings.Repeat("&", 400_000),
	} {
		t.Run(name, func(t *testing.T) {
			if got := HTML(text, nil); len(got) > 8*len(text)+maxAddress*1_000*3 {
				t.Errorf("%d bytes became %d", len(text), len(got))
			}
		})
	}
}

// allowed are the elements that HTML makes, with their attributes.
var allowed = map[string][]string{
	"a": {"href", "rel"}, "span": {"class"}, "code": {"class"}, "ol": {"start"}, "input": {"checked", "disabled", "type"},
	"th": {"align"}, "td": {"align"},
	"p": nil, "em": nil, "strong": nil, "del": nil, "pre": nil, "ul": nil, "li": nil, "blockquote": nil, "hr": nil, "br": nil,
	"table": nil, "thead": nil, "tbody": nil, "tr": nil, "h1": nil, "h2": nil, "h3": nil, "h4": nil, "h5": nil, "h6": nil,
}

var voidElement = regexp.MustCompile(`<(br|hr|input[^>]*)>`)

// checkHTML fails the test when page holds more than HTML may make, or elements that are not closed.
func checkHTML(t *testing.T, page string) {
	t.Helper()
	page = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0xFFFE || r == 0xFFFF {
			return '?' // not for XML, harmless in HTML
		}
		return r
	}, strings.ToValidUTF8(page, "?"))
	d := xml.NewDecoder(strings.NewReader("<page>" + voidElement.ReplaceAllString(page, "<$1/>") + "</page>"))
	d.Entity = xml.HTMLEntity
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, page)
		}
		e, ok := token.(xml.StartElement)
		if !ok || e.Name.Local == "page" {
			continue
		}
		attributes, ok := allowed[e.Name.Local]
		if !ok {
			t.Fatalf("element %q in\n%s", e.Name.Local, page)
		}
		for _, a := range e.Attr {
			if !slices.Contains(attributes, a.Name.Local) {
				t.Fatalf("attribute %q of %q in\n%s", a.Name.Local, e.Name.Local, page)
			}
			if a.Name.Local != "href" {
				continue
			}
			u, err := url.Parse(a.Value)
			if err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, strings.ToLower(u.Scheme)) || u.Scheme == "" && u.Host != "" || strings.Contains(a.Value, "\\") {
				t.Fatalf("address %q in\n%s", a.Value, page)
			}
		}
	}
}

func TestHTMLOfTheCorpus(t *testing.T) {
	for _, f := range corpus(t) {
		checkHTML(t, HTML(string(f.src), nil))
	}
}

// FuzzHTML attacks the promise of HTML: whatever the text, only known elements, attributes and addresses.
func FuzzHTML(f *testing.F) {
	for _, s := range []string{"<script>", "</textarea>", "[a](javascript:x)", "![a](b)", "<a@b.c>", "`x`", "| a |\n|---|", "- [ ] x", "```\"\n", "&#x6A;avascript:x", "[a]: <b\n'c'", "<!-- --", "\x00\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) { checkHTML(t, HTML(s, nil)) })
}
