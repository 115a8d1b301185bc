package web

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"sdd/internal/learning"
)

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := newShelf(t)
	for _, target := range []string{"/", "/learnings", "/explorations", "/keys", "/nowhere", "/assets/page.css", "/assets/page.js", "/assets/nothing", "/?token=wrong"} {
		for _, letIn := range []bool{true, false} {
			r := s.request("GET", target, nil)
			if !letIn {
				r.Header.Del("Cookie")
			}
			h := s.do(r).Header
			for name, want := range map[string]string{
				"Content-Security-Policy": "default-src 'none'", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
				"Referrer-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin",
			} {
				if !strings.HasPrefix(h.Get(name), want) {
					t.Errorf("%s, let in %v: %s is %q", target, letIn, name, h.Get(name))
				}
			}
			csp := h.Get("Content-Security-Policy")
			if !strings.Contains(csp, "frame-ancestors 'none'") || strings.Contains(csp, "unsafe") || strings.Contains(csp, "http") {
				t.Errorf("%s: policy %q", target, csp)
			}
		}
	}
}

func TestWhoIsLetIn(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: "idea-000000000001", Content: "a secret of the project"})
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"the browser", func(*http.Request) {}, 200},
		{"by the other name", func(r *http.Request) { r.Host = "localhost:4711" }, 200},
		{"without the cookie", func(r *http.Request) { r.Header.Del("Cookie") }, 401},
		{"with another cookie", func(r *http.Request) { r.Header.Set("Cookie", "sdd-4711=x") }, 401},
		{"with the cookie of another port", func(r *http.Request) { r.Header.Set("Cookie", "sdd-4712="+s.guard.cookie.Value) }, 401},
		{"with an old cookie before it", func(r *http.Request) { r.Header.Set("Cookie", "sdd-4711=old; sdd-4711="+s.guard.cookie.Value) }, 200},
		{"with the token as cookie", func(r *http.Request) { r.Header.Set("Cookie", "sdd-4711="+s.guard.token) }, 401},
		{"by a name bound to this machine", func(r *http.Request) { r.Host = "evil.example:4711" }, 421},
		{"by that name without port", func(r *http.Request) { r.Host = "evil.example" }, 421},
		{"without port", func(r *http.Request) { r.Host = "127.0.0.1" }, 421},
		{"without host", func(r *http.Request) { r.Host = "" }, 421},
		{"by a longer name", func(r *http.Request) { r.Host = "localhost:4711.evil.example" }, 421},
	} {
		r := s.request("GET", "/learnings", nil)
		c.change(r)
		w := s.do(r)
		if page := s.body(w, c.name, c.status); c.status != 200 && strings.Contains(page, "secret") {
			t.Errorf("%s: sees the learnings", c.name)
		}
	}
	for _, method := range []string{"PUT", "DELETE", "OPTIONS", "TRACE", "PATCH"} {
		if r := s.do(s.request(method, "/learnings", nil)); r.StatusCode != 405 {
			t.Errorf("%s: status %d", method, r.StatusCode)
		}
	}
}

func TestWhoMayChange(t *testing.T) {
	idea := learning.Idea{ID: "idea-000000000001", Content: "text"}
	for _, c := range []struct {
		name   string
		change func(*http.Request)
		status int
	}{
		{"another site", func(r *http.Request) { r.Header.Set("Origin", "http://evil.example") }, 403},
		{"another port of this machine", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:3000") }, 403},
		{"a sandboxed page", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403},
		{"nobody", func(r *http.Request) { r.Header.Del("Origin") }, 403},
		{"the same name encrypted", func(r *http.Request) { r.Header.Set("Origin", "https://"+addr) }, 403},
		{"the other name of this server", func(r *http.Request) { r.Header.Set("Origin", "http://localhost:4711") }, 403},
		{"this server without the cookie", func(r *http.Request) { r.Header.Del("Cookie") }, 401},
	} {
		s := newShelf(t, idea)
		r := s.request("POST", "/learnings/"+idea.ID, url.Values{"action": {"delete"}, "if_match": {s.idea(idea.ID).Etag}})
		c.change(r)
		if w := s.do(r); w.StatusCode != c.status {
			t.Errorf("%s: status %d, want %d", c.name, w.StatusCode, c.status)
		}
		if s.idea(idea.ID).Status != "active" {
			t.Errorf("%s: has changed something", c.name)
		}
	}
}

// TestEveryPageIsForThisBrowserOnly asks every page and every form by a name bound to this machine, without the cookie, and
// from another site.
func TestEveryPageIsForThisBrowserOnly(t *testing.T) {
	s := newShelf(t, learning.Idea{ID: "idea-000000000001", Content: "text"})
	s.putFact("fact-00000000000a", "level: 0", "text")
	before := snapshot(t, s.dir)
	forms := 0
	for _, p := range s.pages() {
		method, path, _ := strings.Cut(p.pattern, " ")
		path = strings.NewReplacer("{$}", "", "/learnings/{id}", "/learnings/idea-000000000001", "/facts/{id}", "/facts/fact-00000000000a", "{name...}", "x", "{id...}", "x").Replace(path)
		var form url.Values
		if method == "POST" {
			forms++
			form = url.Values{"action": {"archive"}, "if_match": {"x"}}
			for _, origin := range []string{"http://evil.example", "http://127.0.0.1:3000", "null", "", "https://" + addr} {
				r := s.request(method, path, form)
				if r.Header.Del("Origin"); origin != "" {
					r.Header.Set("Origin", origin)
				}
				if w := s.do(r); w.StatusCode != 403 {
					t.Errorf("%s from %q: status %d", p.pattern, origin, w.StatusCode)
				}
			}
		}
		r := s.request(method, path, form)
		r.Host = "evil.example:4711"
		if w := s.do(r); w.StatusCode != 421 {
			t.Errorf("%s by a name bound to this machine: status %d", p.pattern, w.StatusCode)
		}
		r = s.request(method, path, form)
		r.Header.Del("Cookie")
		if w := s.do(r); w.StatusCode != 401 {
			t.Errorf("%s without the cookie: status %d", p.pattern, w.StatusCode)
		}
		if csp := s.do(s.request(method, path, form)).Header.Get("Content-Security-Policy"); csp != policy {
			t.Errorf("%s: policy %q", p.pattern, csp)
		}
	}
	if forms < 4 {
		t.Errorf("only %d forms were tried", forms)
	}
	for name, text := range snapshot(t, s.dir) {
		if before[name] != text {
			t.Errorf("%s has changed", name)
		}
	}
}

func TestToken(t *testing.T) {
	s := newShelf(t)
	enter := func(token string) *http.Response {
		r := httptest.NewRequest("GET", "/?token="+token, nil)
		r.Host = addr
		return s.do(r)
	}
	for range 2 { // it is good as long as the server runs
		r := enter(s.guard.token)
		cookies := r.Cookies()
		if r.StatusCode != 303 || r.Header.Get("Location") != "/" || len(cookies) != 1 {
			t.Fatalf("status %d, to %q, cookies %v", r.StatusCode, r.Header.Get("Location"), cookies)
		}
		c := cookies[0]
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Value == s.guard.token || len(c.Value) < 26 || c.Name != "sdd-4711" {
			t.Errorf("cookie %+v", c)
		}
		next := httptest.NewRequest("GET", "/", nil)
		next.Host = addr
		next.AddCookie(c)
		s.body(s.do(next), "/", 200)
	}
	once := s.guard.oneUse()
	if r := enter(once); r.StatusCode != 303 {
		t.Errorf("one use: status %d", r.StatusCode)
	}
	for _, bad := range []string{once, "", "x", strings.ToLower(s.guard.token), s.guard.token + "x", s.guard.cookie.Value} {
		if r := enter(bad); r.StatusCode != 403 || len(r.Cookies()) > 0 {
			t.Errorf("token %q: status %d", bad, r.StatusCode)
		}
	}
	other := newShelf(t)
	if other.guard.token == s.guard.token || other.guard.cookie.Value == s.guard.cookie.Value {
		t.Error("two servers have one token")
	}
}

func TestBodyHasALimit(t *testing.T) {
	idea := learning.Idea{ID: "idea-000000000001", Content: "text"}
	s := newShelf(t, idea)
	page, _ := s.post("/learnings/"+idea.ID, 400, url.Values{"action": {"edit"}, "if_match": {"x"}, "content": {strings.Repeat("x", maxBody)}})
	if !strings.Contains(page, "bytes") || s.idea(idea.ID).Content != "text" {
		t.Errorf("%s", page)
	}
}

// TestTokenLeadsToAPage: the address that lets a browser in may name a page of this server, and nothing else.
func TestTokenLeadsToAPage(t *testing.T) {
	s := newShelf(t)
	for at, want := range map[string]string{
		"/facts": "/facts", "/explore/日本": "/explore/%E6%97%A5%E6%9C%AC", "": "/", "//evil.example": "/evil.example",
		"/\\evil.example": "/%5Cevil.example", "https://evil.example/x": "/https:/evil.example/x", "/../x": "/x", "/a\r\nb": "/a%0D%0Ab",
	} {
		r := httptest.NewRequest("GET", "/?token="+s.guard.token+"&at="+url.QueryEscape(at), nil)
		r.Host = addr
		if to := s.do(r); to.StatusCode != 303 || to.Header.Get("Location") != want {
			t.Errorf("%q leads to %q, %d", at, to.Header.Get("Location"), to.StatusCode)
		}
	}
}
