package web

import (
	"crypto/rand"
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"sync"
)

// The page can change files, and any site in the same browser can send requests to it. So a request must name
// this server as its host (which excludes names that an attacker re-bound to this machine), a change must come
// from one of its own pages, and every page requires a cookie that only the printed address sets. Browsers send
// cookies to all ports of a host. So the cookie's name contains the port, which permits several open stores; and
// since other servers of this machine receive it too, the cookie alone permits no change.

const (
	maxBody   = 8 << 20 // bytes of a form; texts have the limits of config.yaml
	tokenName = "token"
)

// policy permits a page only its own style and script.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; " +
	"base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"

// guard admits visitors who know the printed address.
type guard struct {
	token  string // in the printed address; valid as long as the server runs
	cookie http.Cookie
	hosts  []string // host and port in requests
	next   http.Handler

	mu     sync.Mutex
	ticket string // like token, but for a single use; "" for none
}

// newGuard guards the server that listens on addr, a loopback address with its port.
func newGuard(addr string, next http.Handler) *guard {
	_, port, _ := net.SplitHostPort(addr)
	return &guard{
		token:  rand.Text(),
		cookie: http.Cookie{Name: "sdd-" + port, Value: rand.Text(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode},
		hosts:  []string{addr, "localhost:" + port},
		next:   next,
	}
}

// oneUse returns a token for a single use, for a command line that other users may see.
func (g *guard) oneUse() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.ticket = rand.Text()
	return g.ticket
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin") // with less, a form would not name its origin
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=()")
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)

	switch {
	case !slices.Contains(g.hosts, r.Host):
		refuse(w, http.StatusMisdirectedRequest, "This server does not answer to the name in the address. Use the address that sdd ui printed.")
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		h.Set("Allow", "GET, HEAD, POST")
		refuse(w, http.StatusMethodNotAllowed, "This server reads pages and takes forms, nothing else.")
	case r.Method == http.MethodPost && r.Header.Get("Origin") != "http://"+r.Host:
		refuse(w, http.StatusForbidden, "A change must come from one of this server's own pages. Nothing was changed.")
	case r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.Query().Has(tokenName):
		if !g.opens(r.URL.Query().Get(tokenName)) {
			refuse(w, http.StatusForbidden, "The token in the address is not the one of this run, or was used up. Use the address that sdd "+
				"ui printed last.")
			return
		}
		http.SetCookie(w, &g.cookie)
		at := &url.URL{Path: path.Clean("/" + r.URL.Query().Get("at"))} // of this server, whatever the query has
		http.Redirect(w, r, at.EscapedPath(), http.StatusSeeOther)
	case !g.admits(r) && !publicAsset(r.URL.Path):
		refuse(w, http.StatusUnauthorized, "This browser has not been let in yet, or the page was opened from another one. "+
			"If you have just followed the address that sdd ui printed, open the start page; else open that address first.")
	default:
		g.next.ServeHTTP(w, r)
	}
}

// opens reports whether a token is valid, and uses up the one for a single use.
func (g *guard) opens(token string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if same(token, g.token) {
		return true
	}
	if g.ticket == "" || !same(token, g.ticket) {
		return false
	}
	g.ticket = ""
	return true
}

// admits reports whether the request has the cookie. Browsers may send several with one name.
func (g *guard) admits(r *http.Request) bool {
	return slices.ContainsFunc(r.CookiesNamed(g.cookie.Name), func(c *http.Cookie) bool { return same(c.Value, g.cookie.Value) })
}

func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
