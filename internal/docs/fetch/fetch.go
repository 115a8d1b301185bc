// Package fetch downloads documents of the web safely: only from allowed hosts, only from public
// addresses, and up to a limit. It caches them on disk.
package fetch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"sdd/internal/docs/cache"
)

// The reasons why Get returns no document. Each of its errors wraps one of them.
var (
	ErrHost     = errors.New("the host is not allowed")
	ErrBlocked  = errors.New("the address is blocked")
	ErrOutside  = errors.New("it leads elsewhere")
	ErrNotFound = errors.New("there is no such document")
	ErrTooLarge = errors.New("it is too large")
	ErrType     = errors.New("it is of another type")
	ErrFailed   = errors.New("it cannot be had") // the network or the server failed: a later try may succeed
)

// Limits of one document.
const (
	maxRedirects  = 5
	maxHeader     = 64 << 10 // bytes
	perHost       = 4        // connections at the same time
	connectTime   = 10 * time.Second
	headerTime    = 10 * time.Second
	wholeTime     = 30 * time.Second
	maxRetryAfter = 5 * time.Second // a longer wait is an error
	freshFor      = time.Hour       // a younger cached copy needs no request
	userAgent     = "sdd (documentation look-up)"
)

// Client downloads documents. Its fields must not change after its first use; several goroutines may use it.
type Client struct {
	Cache cache.Folder // of the kept copies

	// Dial connects to an address. It must call check with the resolved address before it connects, and return
	// the error of check. nil uses the network.
	Dial func(ctx context.Context, network, address string, check func(netip.Addr) error) (net.Conn, error)

	// HeaderTime and WholeTime limit the time of a server, 0 for 10 s and 30 s.
	HeaderTime, WholeTime time.Duration

	once sync.Once
	http *http.Client
}

// Request is the address of a document and the limits for it.
type Request struct {
	URL     *url.URL
	Limit   int64               // bytes after decompression
	Types   []string            // media types or prefixes such as text/; a document without a type passes
	Host    func(h string) bool // whether the client may ask a host (with its port, if it is not the scheme's default)
	Private func(h string) bool // whether a host may have a private address; nil for no
	Within  string              // origin that redirects must not leave; "" for none
}

// Document is a downloaded document.
type Document struct {
	Data    []byte
	Type    string   // the server's content type, "" for none
	URL     *url.URL // after redirects
	Fetched time.Time
	Stale   bool // the server did not answer: this is the cached copy
}

// Origin is the scheme and host of an address.
func Origin(u *url.URL) string { return strings.ToLower(u.Scheme) + "://" + HostOf(u) }

// HostOf returns an address's host for comparison: in lower case, with the port if it is not the scheme's default.
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

// Get returns the cached copy while it is fresh, else the server's document, else the copy whatever its age.
func (c *Client) Get(ctx context.Context, q Request) (Document, error) {
	c.once.Do(c.start)
	if err := q.allowed(q.URL); err != nil {
		return Document{}, err
	}
	key := q.URL.String()
	kept := c.load(key, q)
	if kept != nil && time.Since(kept.Fetched) < freshFor && time.Since(kept.Fetched) >= 0 {
		return kept.Document, nil
	}
	ctx, stop := context.WithTimeout(ctx, cmp.Or(c.WholeTime, wholeTime))
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
		Proxy: nil, // a proxy would hide the real address from checkAddress
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
		ResponseHeaderTimeout:  cmp.Or(c.HeaderTime, headerTime),
		MaxResponseHeaderBytes: maxHeader,
		MaxConnsPerHost:        perHost,
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
		r.Header.Del("Referer") // other hosts must not learn the page
		return q.allowed(r.URL)
	}}
}

type requestKey struct{}

// allowed checks an address before the client sends a request.
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

// checkAddress checks every address before a connection: an earlier lookup of the name proves nothing.
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

// ask sends the request, and repeats it once after the server's Retry-After.
func (c *Client) ask(ctx context.Context, q Request, key string, kept *copied) (Document, error) {
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

// retryAfter returns the wait that a busy server asks for.
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

func (c *Client) take(q Request, key string, kept *copied, res *http.Response) (Document, error) {
	switch code := res.StatusCode; {
	case code == http.StatusNotModified && kept != nil:
		kept.Fetched = time.Now()
		c.store(key, kept)
		return kept.Document, nil
	case code == http.StatusNotFound, code == http.StatusGone:
		return Document{}, fmt.Errorf("%w: the server says %d", ErrNotFound, code)
	case code != http.StatusOK:
		if wait, ok := retryAfter(res); ok {
			return Document{}, fmt.Errorf("%w: the server says %d and asks to wait %d s", ErrFailed, code, int(wait.Seconds()))
		}
		return Document{}, fmt.Errorf("%w: the server says %d", ErrFailed, code)
	}
	contentType := res.Header.Get("Content-Type")
	switch {
	case !typed(contentType, q.Types):
		return Document{}, fmt.Errorf("%w: the server calls it %.60q", ErrType, contentType)
	case res.Header.Get("Content-Encoding") != "": // the transport decodes gzip, and the client asks for nothing else
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

// typed reports whether types accept a content type.
func typed(contentType string, types []string) bool {
	if contentType == "" {
		return true
	}
	t, _, _ := mime.ParseMediaType(contentType) // "" for none
	return slices.ContainsFunc(types, func(want string) bool {
		return t == want || strings.HasSuffix(want, "/") && strings.HasPrefix(t, want)
	})
}

// reason explains an error of the network, without the address, which may be long and chosen by the server.
func (c *Client) reason(ctx context.Context, err error) error {
	for _, known := range []error{ErrBlocked, ErrOutside, ErrHost} {
		if errors.Is(err, known) {
			if ue, ok := errors.AsType[*url.Error](err); ok {
				err = ue.Err
			}
			if oe, ok := errors.AsType[*net.OpError](err); ok {
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

// Close closes idle connections.
func (c *Client) Close() {
	if c.http != nil {
		c.http.CloseIdleConnections()
	}
}
