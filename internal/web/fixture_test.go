package web

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sdd/internal/app"
	"sdd/internal/index"
	"sdd/internal/learning"
	"sdd/internal/record"
	"sdd/internal/store"
)

// shelf is a store in a folder of its own with the page over it.
type shelf struct {
	*site
	t     *testing.T
	dir   string
	guard *guard
}

const addr = "127.0.0.1:4711"

func newShelf(t *testing.T, ideas ...learning.Idea) *shelf {
	t.Helper()
	dir := t.TempDir()
	st, err := store.Open(store.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	ix := index.Open(st)
	w := app.New(st, ix, app.Options{})
	t.Cleanup(func() { w.Close(); ix.Close(); st.Close() })
	site := newSite(w, "test")
	s := &shelf{site, t, dir, newGuard(addr, site.routes())}
	for i, idea := range ideas {
		if idea.Created == "" {
			idea.Created = fmt.Sprintf("2026-11-20T09:14:%02dZ", 59-i)
		}
		s.put(idea)
	}
	return s
}

// put writes the file of an idea as a person might.
func (s *shelf) put(i learning.Idea) learning.Idea {
	s.t.Helper()
	if i.ID == "" {
		i.ID = record.HexID("idea", i.Content, nil)
	}
	if i.Color == "" {
		i.Color = record.Learning
	}
	if i.Status == "" {
		i.Status = "active"
	}
	if i.Scope == "" {
		i.Scope = record.Local
	}
	var b strings.Builder
	b.WriteString("---\n")
	for _, f := range []struct{ key, value string }{
		{"id", i.ID}, {"color", i.Color}, {"status", i.Status}, {"scope", i.Scope}, {"parent", i.Parent}, {"impact", i.Impact}, {"category", i.Category},
		{"superseded_by", i.SupersededBy}, {"created", i.Created}, {"archived_at", i.ArchivedAt}, {"archived_reason", i.ArchivedReason},
		{"resurrected_at", i.ResurrectedAt}, {"resurrected_by", i.ResurrectedBy}, {"outdated_reason", i.OutdatedReason},
		{"outdated_commit", i.OutdatedCommit}, {"validated_at", i.ValidatedAt},
	} {
		if f.value != "" {
			fmt.Fprintf(&b, "%s: %q\n", f.key, f.value)
		}
	}
	for key, list := range map[string][]string{"agents": i.Agents, "applied_to": i.AppliedTo, "aliases": i.Aliases} {
		if len(list) > 0 {
			fmt.Fprintf(&b, "%s:\n", key)
			for _, v := range list {
				fmt.Fprintf(&b, "  - %q\n", v)
			}
		}
	}
	fmt.Fprintf(&b, "validated: %v\n---\n\n%s\n", i.Validated, i.Content)
	s.write("ideas/"+i.ID+".md", b.String())
	return i
}

// idea returns a learning as the core knows it.
func (s *shelf) idea(id string) learning.Idea {
	s.t.Helper()
	i, err := s.Learnings.Get(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return i
}

// write puts a file into the store as an editor would.
func (s *shelf) write(path, text string) {
	s.t.Helper()
	path = filepath.Join(s.dir, ".sdd", filepath.FromSlash(path))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// request is one from a browser that was let in.
func (s *shelf) request(method, target string, form url.Values) *http.Request {
	r := httptest.NewRequest(method, target, nil)
	if form != nil {
		r = httptest.NewRequest(method, target, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Origin", "http://"+addr)
	}
	r.Host = addr
	r.AddCookie(&s.guard.cookie)
	return r
}

func (s *shelf) do(r *http.Request) *http.Response {
	w := httptest.NewRecorder()
	s.guard.ServeHTTP(w, r)
	return w.Result()
}

// get returns a page, checked for what every page must keep.
func (s *shelf) get(target string, status int) string {
	s.t.Helper()
	return s.body(s.do(s.request("GET", target, nil)), target, status)
}

// post sends a form and returns the answer; a redirect is not followed.
func (s *shelf) post(target string, status int, form url.Values) (page, location string) {
	s.t.Helper()
	r := s.do(s.request("POST", target, form))
	return s.body(r, target, status), undoIn.ReplaceAllString(r.Header.Get("Location"), "")
}

// undoIn is the action to take back in an address, which differs in every run.
var undoIn = regexp.MustCompile(`[&?]undo=[a-z0-9]+`)

func (s *shelf) body(r *http.Response, target string, status int) string {
	s.t.Helper()
	b, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	if r.StatusCode != status {
		s.t.Fatalf("%s: status %d, want %d\n%s", target, r.StatusCode, status, b)
	}
	page := string(b)
	if strings.HasPrefix(r.Header.Get("Content-Type"), "text/html") && strings.HasPrefix(page, "<!doctype") {
		checkPage(s.t, target, page)
	}
	return page
}

var (
	voidStart = regexp.MustCompile(`<(input|meta|link|br|hr|img)\b([^>]*?)/?>`)
	// kept holds texts as they are, because they are sent back
	kept    = regexp.MustCompile(`(?s)<textarea.*?</textarea>| value="[^"]*"`)
	bareEnd = regexp.MustCompile(` (hidden|checked|selected|disabled|required|autofocus|open|defer|data-[a-z-]+)([ />])`)
)

// node is an element of a page.
type node struct {
	name   string
	attr   map[string]string
	parent *node
}

func (n *node) inside(name string) bool {
	for ; n != nil; n = n.parent {
		if n.name == name {
			return true
		}
	}
	return false
}

// elements parses a page. It must be well-formed, but for what HTML lets one leave away.
func elements(t *testing.T, target, page string) []*node {
	t.Helper()
	page = strings.Replace(page, "<!doctype html>", "", 1)
	for range 2 { // neighbours share a blank
		page = bareEnd.ReplaceAllString(page, ` $1=""$2`)
	}
	page = voidStart.ReplaceAllString(page, "<$1$2/>")
	d := xml.NewDecoder(strings.NewReader(page))
	d.Entity = xml.HTMLEntity
	var all []*node
	var at *node
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%s: %v in\n%s", target, err, page)
		}
		switch e := token.(type) {
		case xml.StartElement:
			n := &node{e.Name.Local, map[string]string{}, at}
			for _, a := range e.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			all = append(all, n)
			at = n
		case xml.EndElement:
			at = at.parent
		}
	}
}

// checkPage fails the test when a page breaks the content security policy, or keeps somebody out.
func checkPage(t *testing.T, target, page string) {
	t.Helper()
	ids, count, labelled := map[string]bool{}, map[string]int{}, map[string]bool{}
	all := elements(t, target, page)
	for _, n := range all {
		count[n.name]++
		if id, ok := n.attr["id"]; ok {
			if ids[id] || id == "" {
				t.Errorf("%s: id %q twice", target, id)
			}
			ids[id] = true
		}
		if n.name == "label" {
			labelled[n.attr["for"]] = true
		}
		for name, value := range n.attr {
			switch {
			case name == "style" || strings.HasPrefix(name, "on") || name == "srcset" || name == "srcdoc":
				t.Errorf("%s: attribute %s=%q of %s", target, name, value, n.name)
			case name == "src" || name == "action" || name == "href" && n.name == "link":
				if !strings.HasPrefix(value, "/") || strings.HasPrefix(value, "//") {
					t.Errorf("%s: %s loads %q", target, n.name, value)
				}
			case name == "href":
				u, err := url.Parse(value)
				if err != nil || !slices.Contains([]string{"", "http", "https", "mailto"}, u.Scheme) {
					t.Errorf("%s: a link leads to %q", target, value)
				}
			}
		}
	}
	for _, n := range all {
		switch n.name {
		case "input", "select", "textarea":
			if n.attr["type"] != "hidden" && !labelled[n.attr["id"]] && !n.inside("label") && !n.inside("li") {
				t.Errorf("%s: %s %q has no label", target, n.name, n.attr["name"])
			}
		case "script":
			if !strings.HasPrefix(n.attr["src"], "/assets/page.js?") {
				t.Errorf("%s: a script of its own", target)
			}
		case "style", "iframe", "object", "embed", "base", "img":
			t.Errorf("%s: element %s", target, n.name)
		}
		for _, name := range []string{"aria-labelledby", "aria-describedby"} {
			for id := range strings.FieldsSeq(n.attr[name]) {
				if !ids[id] {
					t.Errorf("%s: %s of %s names %q, which is not there", target, name, n.name, id)
				}
			}
		}
		if n.name == "svg" && n.attr["aria-hidden"] == "" && (n.attr["role"] != "img" && n.attr["role"] != "group" || n.attr["aria-labelledby"] == "") {
			t.Errorf("%s: a drawing without a name", target)
		}
	}
	if count["main"] != 1 || count["title"] < 1 {
		t.Errorf("%s: %d main, %d title", target, count["main"], count["title"])
	}
	if count["h1"] != 1 && !strings.Contains(page, `class="prose big"`) {
		t.Errorf("%s: %d level-1 headings", target, count["h1"])
	}
	if strings.ContainsAny(kept.ReplaceAllString(page, ""), "\u202e\u2066\u001b") {
		t.Errorf("%s: characters that steer text are on the page", target)
	}
}
