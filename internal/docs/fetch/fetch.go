// Package fetch gets documents of the web without being led elsewhere: only from hosts that are
// allowed, only from addresses that are public, and never more than a limit. What was got is kept on disk.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sdd/internal/docs/cache"
)

// The reasons for which a document is not had. Errors of Get have one of them in their chain.
var (
	ErrHost     = errors.New("the host is not allowed")
	ErrBlocked  = errors.New("the address is blocked")
	ErrOutside  = errors.New("it leads elsewhere")
	ErrNotFound = errors.New("there is no such document")
	ErrTooLarge = errors.New("it is too large")
	ErrType     = errors.New("it is of another type")
	ErrFailed   = errors.New("it cannot be had") // the network or the server: a later try may do better
)

// Limits of one document.
const (
	maxRedirects  = 5
	maxHeader     = 64 << 10 // bytes
	perHost       = 4        // requests at once
	connectTime   = 10 * time.Second
	headerTime    = 10 * time.Second
	wholeTime     = 30 * time.Second
	maxRetryAfter = 5 * time.Second // a longer wait is an error
	freshFor      = time.Hour       // for which a kept copy is not asked about again
	userAgent     = "sdd (documentation look-up)"
)

// Client gets documents. Its fields are not changed after its first use; it may be used by several goroutines.
type Client struct {
	Cache cache.Folder // of the kept copies

	// Dial connects to an address. It must call check with the address that it is about to connect to, and give
	// up where that fails. nil uses the network.
	Dial func(ctx context.Context, network, address string, check func(netip.Addr) error) (net.Conn, error)

	// HeaderTime and WholeTime are how long a server may take, 0 for 10 s and 30 s.
	HeaderTime, WholeTime time.Duration

	once  sync.Once
	http  *http.Client
	mu    sync.Mutex
	slots map[string]chan struct{} // by host
}

// Request is what to get, and what is allowed.
type Request struct {
	URL     *url.URL
	Limit   int64               // bytes, inflated
	Types   []string            // media types, or the beginnings of some, such as text/; a document without one passes
	Host    func(h string) bool // whether a host (with its port, where that is not the scheme's own) may be asked
	Private func(h string) bool // whether a host may have a private address; nil for no
	Within  string              // origin that redirects must not leave; "" for none
}

// Document is what was got.
type Document struct {
	Data    []byte
	Type    string   // the server's content type, "" for none
	URL     *url.URL // where it was found, after redirects
	Fetched time.Time
	Stale   bool // the server could not be asked: this is the kept copy
}

// Origin is the scheme and host of an address.
func Origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + HostOf(u) }

// HostOf returns an address's host as it is compared: in lower case, with the port where that is not the scheme's own.
func HostOf(u *url.URL) string {
	h := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if strings.Contains(h, ":") {
		h = "[" + h + "]"
	}
	if p := u.Port(); p != "" && !(p == "80" && strings.EqualFold(u.Scheme, "http")) && !(p == "443" && strings.EqualFold(u.Scheme, "https")) {
		h += ":" + p
	}
	return h
}

// Get returns a document: the kept copy while it is fresh, else what the server has, else, where the server cannot be asked,
// the kept copy however old.
func (c *Client) Get(ctx context.Context, q Request) (Document, error) {
	c.once.Do(c.start)
	if err := q.allowed(q.URL); err != nil {
		return Document{}, err
	}
	key := q.URL.String()
	kept, ok := c.load(key, q)
	if ok && time.Since(kept.Fetched) < freshFor && time.Since(kept.Fetched) >= 0 {
		return kept.Document, nil
	}
	if !ok {
		kept = nil
	}
	ctx, stop := context.WithTimeout(ctx, orDefault(c.WholeTime, wholeTime))
	defer stop()
	d, err := c.ask(ctx, q, key, kept)
	switch {
	case err == nil:
		return d, nil
	case errors.Is(err, ErrFailed) && kept != nil:
		kept.Stale = true
		return kept.Document, nil
	case errors.Is(err, ErrNotFound):
		c.Cache.Drop(key)
	}
	return Document{}, err
}

func (c *Client) start() {
	t := &http.Transport{
		Proxy: nil, // a proxy would hide from the guard where a request ends
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			check := func(a netip.Addr) error { return checkAddress(ctx, address, a) }
			if c.Dial != nil {
				return c.Dial(ctx, network, address, check)
			}
			d := net.Dialer{Timeout: connectTime, Control: func(_, to string, _ syscall.RawConn) error {
				ap, err := netip.ParseAddrPort(to)
				if err != nil {
					return fmt.Errorf("%w: %s", ErrBlocked, to)
				}
				return check(ap.Addr())
			}}
			return d.DialContext(ctx, network, address)
		},
		ForceAttemptHTTP2:      true,
		TLSHandshakeTimeout:    connectTime,
		ResponseHeaderTimeout:  orDefault(c.HeaderTime, headerTime),
		MaxResponseHeaderBytes: maxHeader,
		MaxIdleConnsPerHost:    perHost,
		IdleConnTimeout:        10 * time.Second,
	}
	c.http = &http.Client{Transport: t, CheckRedirect: func(r *http.Request, via []*http.Request) error {
		q := r.Context().Value(requestKey{}).(Request)
		switch {
		case len(via) > maxRedirects:
			return fmt.Errorf("%w: it redirects more than %d times", ErrFailed, maxRedirects)
		case via[len(via)-1].URL.Scheme == "https" && r.URL.Scheme != "https":
			return fmt.Errorf("%w: it redirects from https to %s", ErrOutside, r.URL.Scheme)
		case q.Within != "" && Origin(r.URL) != q.Within:
			return fmt.Errorf("%w: it redirects to %s", ErrOutside, HostOf(r.URL))
		}
		r.Header.Del("Referer") // other hosts must not learn what was asked for
		return q.allowed(r.URL)
	}}
	c.slots = map[string]chan struct{}{}
}

type requestKey struct{}

// allowed checks an address before anything of it is asked for.
func (q Request) allowed(u *url.URL) error {
	switch {
	case u.Scheme != "http" && u.Scheme != "https", u.Hostname() == "", u.Opaque != "":
		return fmt.Errorf("%w: only http and https are read", ErrOutside)
	case u.User != nil:
		return fmt.Errorf("%w: the address holds a name or password", ErrOutside)
	case !q.Host(HostOf(u)):
		return fmt.Errorf("%w: %s", ErrHost, HostOf(u))
	}
	return nil
}

// checkAddress is asked for every address before it is connected to: what a name stood for a moment before counts for
// nothing.
func checkAddress(ctx context.Context, named string, a netip.Addr) error {
	q := ctx.Value(requestKey{}).(Request)
	switch reachOf(a) {
	case public:
		return nil
	case private:
		host, port, err := net.SplitHostPort(named)
		if err == nil && q.Private != nil {
			u := &url.URL{Scheme: "https", Host: net.JoinHostPort(host, port)}
			if port == "80" {
				u.Scheme = "http"
			}
			if q.Private(HostOf(u)) {
				return nil
			}
		}
		return fmt.Errorf("%w: %s is the private address %s", ErrBlocked, named, a)
	default:
		return fmt.Errorf("%w: %s is the reserved address %s", ErrBlocked, named, a)
	}
}

// ask asks the server, and once more after its Retry-After.
func (c *Client) ask(ctx context.Context, q Request, key string, kept *copied) (Document, error) {
	slot := c.slot(HostOf(q.URL))
	select {
	case slot <- struct{}{}:
		defer func() { <-slot }()
	case <-ctx.Done():
		return Document{}, c.reason(ctx, ctx.Err())
	}
	for again := false; ; again = true {
		r, err := http.NewRequestWithContext(context.WithValue(ctx, requestKey{}, q), http.MethodGet, q.URL.String(), nil)
		if err != nil {
			return Document{}, fmt.Errorf("%w: %s", ErrOutside, "it is no address")
		}
		r.Header.Set("User-Agent", userAgent)
		if kept != nil {
			if kept.ETag != "" {
				r.Header.Set("If-None-Match", kept.ETag)
			}
			if kept.Modified != "" {
				r.Header.Set("If-Modified-Since", kept.Modified)
			}
		}
		res, err := c.http.Do(r)
		if err != nil {
			return Document{}, c.reason(ctx, err)
		}
		wait, retry := retryAfter(res)
		if retry && !again && wait <= maxRetryAfter {
			res.Body.Close()
			timer := time.NewTimer(wait)
			select {
			case <-timer.C:
				continue
			case <-ctx.Done():
				timer.Stop()
				return Document{}, c.reason(ctx, ctx.Err())
			}
		}
		d, err := c.take(q, key, kept, res)
		res.Body.Close()
		if err != nil && ctx.Err() != nil {
			err = c.reason(ctx, ctx.Err())
		}
		return d, err
	}
}

func (c *Client) slot(host string) chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.slots[host]
	if s == nil {
		if len(c.slots) > 1000 {
			clear(c.slots)
		}
		s = make(chan struct{}, perHost)
		c.slots[host] = s
	}
	return s
}

// retryAfter returns how long a busy server asks to wait.
func retryAfter(res *http.Response) (time.Duration, bool) {
	if res.StatusCode != http.StatusTooManyRequests && res.StatusCode != http.StatusServiceUnavailable {
		return 0, false
	}
	v := res.Header.Get("Retry-After")
	if n, err := strconv.Atoi(v); err == nil && n >= 0 {
		return time.Duration(min(n, 86400)) * time.Second, true
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, time.Until(t)), true
	}
	return 0, false
}

// take reads what the server answered.
func (c *Client) take(q Request, key string, kept *copied, res *http.Response) (Document, error) {
	switch code := res.StatusCode; {
	case code == http.StatusNotModified && kept != nil:
		kept.Fetched = time.Now()
		c.store(key, kept)
		return kept.Document, nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return Document{}, fmt.Errorf("%w: the server says %d", ErrNotFound, code)
	case code == http.StatusTooManyRequests, code >= 500:
		if wait, ok := retryAfter(res); ok {
			return Document{}, fmt.Errorf("%w: the server says %d and asks to wait %d s", ErrFailed, code, int(wait.Seconds()))
		}
		return Document{}, fmt.Errorf("%w: the server says %d", ErrFailed, code)
	case code != http.StatusOK:
		return Document{}, fmt.Errorf("%w: the server says %d", ErrFailed, code)
	}
	contentType := res.Header.Get("Content-Type")
	switch {
	case !typed(contentType, q.Types):
		return Document{}, fmt.Errorf("%w: the server calls it %.60q", ErrType, contentType)
	case res.Header.Get("Content-Encoding") != "": // gzip is undone by the transport, nothing else is asked for
		return Document{}, fmt.Errorf("%w: it is encoded in a way that was not asked for", ErrFailed)
	case res.ContentLength > q.Limit:
		return Document{}, fmt.Errorf("%w: the server tells %d bytes, at most %d are read", ErrTooLarge, res.ContentLength, q.Limit)
	}
	data, err := io.ReadAll(io.LimitReader(res.Body, q.Limit+1))
	switch {
	case int64(len(data)) > q.Limit:
		return Document{}, fmt.Errorf("%w: at most %d bytes are read", ErrTooLarge, q.Limit)
	case err != nil:
		return Document{}, fmt.Errorf("%w: it breaks off after %d bytes", ErrFailed, len(data))
	}
	k := &copied{
		Document: Document{Data: data, Type: contentType, URL: res.Request.URL, Fetched: time.Now()},
		ETag:     short(res.Header.Get("ETag")), Modified: short(res.Header.Get("Last-Modified")),
	}
	if !strings.Contains(strings.ToLower(res.Header.Get("Cache-Control")), "no-store") {
		c.store(key, k)
	}
	return k.Document, nil
}

func short(header string) string {
	if len(header) > 1000 {
		return ""
	}
	return header
}

// typed reports whether a type is among those that are taken.
func typed(contentType string, types []string) bool {
	if contentType == "" {
		return true
	}
	t, _, err := mime.ParseMediaType(contentType)
	if err != nil && t == "" {
		return false
	}
	for _, want := range types {
		if t == want || strings.HasSuffix(want, "/") && strings.HasPrefix(t, want) {
			return true
		}
	}
	return false
}

// reason is what an error of the network means, without the address in it: that may be long, and its server's.
func (c *Client) reason(ctx context.Context, err error) error {
	for _, known := range []error{ErrBlocked, ErrOutside, ErrHost} {
		if errors.Is(err, known) {
			var ue *url.Error
			if errors.As(err, &ue) {
				err = ue.Err
			}
			var oe *net.OpError
			if errors.As(err, &oe) {
				err = oe.Err
			}
			return err
		}
	}
	var dns *net.DNSError
	var timeout net.Error
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return fmt.Errorf("%w: the call was cancelled", ErrFailed)
	case errors.Is(err, ErrFailed):
		return fmt.Errorf("%w: it redirects more than %d times", ErrFailed, maxRedirects)
	case errors.As(err, &dns):
		return fmt.Errorf("%w: the name of the host is not known here", ErrFailed)
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("%w: the server takes too long", ErrFailed)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fmt.Errorf("%w: nobody answers there", ErrFailed)
	}
	return fmt.Errorf("%w: the connection fails or the answer is no HTTP", ErrFailed)
}

func orDefault(d, def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return d
}

// Close ends the connections that wait for more.
func (c *Client) Close() {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}
