package docs

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"slices"
	"strings"
	"time"

	"sdd/internal/docs/fetch"
	"sdd/internal/docs/inventory"
	"sdd/internal/fault"
	"sdd/internal/pattern"
)

var web = pattern.Late(`^(?i)https?://`)

// belowWeb are the usual places of documentation below a site's address.
var belowWeb = []string{"", "en/latest/", "en/stable/", "latest/", "stable/", "docs/"}

// webTree is documentation on a server. Within a call it asks for a missing file once, and keeps only the last file's bytes.
type webTree struct {
	ctx        context.Context
	r          *Reader
	base       *url.URL // ends with a slash
	configured bool     // config.yaml names the source
	got        map[string]fetched

	data []byte // of the last file
	last string // its path
}

// fetched is a downloaded file without its bytes.
type fetched struct {
	fetch.Document
	hash string
	err  error
}

func (t *webTree) key() string { return t.base.String() }

// address is the address of a file after redirects, or before its download.
func (t *webTree) address(path string) *url.URL {
	if d, ok := t.got[path]; ok && d.err == nil {
		to := *d.URL
		to.Fragment, to.RawFragment = "", ""
		return &to
	}
	return t.base.ResolveReference(&url.URL{Path: "./" + path})
}

func (t *webTree) copyOf(path string) Copy {
	return Copy{t.got[path].Fetched.UTC().Format("2006-01-02T15:04:05Z"), t.got[path].Stale}
}

func (t *webTree) shown(path string) string { return t.address(path).String() }

func (t *webTree) stamp(path string) (string, error) {
	if d, ok := t.got[path]; ok {
		return d.hash, d.err
	}
	f, err := t.read(path, 0)
	return f.stamp, err
}

// read downloads a file. The file's name decides the allowed types and the limit.
func (t *webTree) read(path string, _ int64) (file, error) {
	d, ok := t.got[path]
	if !ok || d.err == nil && t.last != path {
		d = fetched{}
		d.Document, d.err = t.get(path)
		if folder, cut := strings.CutSuffix(path, "index.html"); cut && errors.Is(d.err, fetch.ErrNotFound) {
			d.Document, d.err = t.get(folder) // some servers do not know a folder's page by that name
		}
		d.hash = hashOf(d.Data)
		t.data, t.last = d.Data, path
		d.Data = nil
		t.got[path] = d
	}
	if d.err != nil {
		return file{}, d.err
	}
	return file{data: t.data, stamp: d.hash, contentType: d.Type}, nil
}

func (t *webTree) get(path string) (fetch.Document, error) {
	q := fetch.Request{URL: t.base.ResolveReference(&url.URL{Path: "./" + path}), Limit: maxWebPage, Types: pageTypes,
		Host: t.r.settings.mayAsk(t.base, t.configured), Private: t.r.settings.privateHost}
	switch {
	case path == inventoryName || strings.HasSuffix(path, ".inv"):
		q.Limit, q.Types = inventory.MaxFile, listTypes
	case path == searchIndexName:
		q.Limit, q.Types = maxSearchIndex, listTypes
	default:
		q.Within = fetch.Origin(t.base)
	}
	return t.r.web.Get(t.ctx, q)
}

const (
	maxWebPage = 16 << 20         // bytes, as of a local page
	callTime   = 60 * time.Second // for all requests of a call
)

var (
	pageTypes = []string{"text/html", "application/xhtml+xml", "text/plain"}
	// Servers have no type for an inventory. HTML is allowed, so that the error can explain that it is no inventory.
	listTypes = []string{"application/", "text/", "binary/"}
)

// mayAsk returns the permitted hosts: those of config.yaml, that of a configured source, and any if the user permitted all.
func (s Settings) mayAsk(base *url.URL, configured bool) func(host string) bool {
	own := fetch.HostOf(base)
	return func(host string) bool {
		return s.AnyHost || configured && host == own || slices.ContainsFunc(s.Hosts, func(h string) bool { return sameHost(h, host) })
	}
}

// sameHost reports whether an entry of docs.hosts matches a host: *.example.org matches all below example.org.
func sameHost(entry, host string) bool {
	entry = strings.ToLower(strings.TrimSpace(entry))
	if rest, ok := strings.CutPrefix(entry, "*."); ok {
		return strings.HasSuffix(host, "."+rest)
	}
	return entry == host
}

// openWeb opens documentation by its address, and tries the usual places below it.
func (r *Reader) openWeb(ctx context.Context, location string, configured bool) (*openSource, error) {
	u, err := url.Parse(location)
	if err != nil || u.Hostname() == "" || u.Opaque != "" {
		return nil, fault.New(fault.Invalid, "%q is no address", shorten(withoutUser(location))).For("source").With("write https://host/path/")
	}
	if u.User != nil {
		return nil, fault.New(fault.Invalid, "the address of the source holds a name or password, which is not sent").For("source").
			With("name documentation that needs none, or a folder with a copy of it")
	}
	u.RawQuery, u.Fragment, u.RawFragment = "", "", ""
	u.Scheme, u.Host = strings.ToLower(u.Scheme), fetch.HostOf(u)
	if !r.settings.mayAsk(u, configured)(fetch.HostOf(u)) {
		return nil, fault.New(fault.Outside, "the host %s is not among those that may be asked", fetch.HostOf(u)).For("source").
			With("add it to docs.hosts, or the documentation to docs.sources, in .sdd/config.yaml, or start the server with --allow-net")
	}
	var bases []*url.URL
	add := func(b *url.URL) {
		if !slices.ContainsFunc(bases, func(o *url.URL) bool { return o.String() == b.String() }) {
			bases = append(bases, b)
		}
	}
	name := inventoryName
	folder := u.ResolveReference(&url.URL{Path: "./"})
	switch last := path.Base(u.Path); {
	case path.Ext(last) == ".inv":
		name = last
		add(folder)
	case isPage(last):
		add(folder)
	default:
		if !strings.HasSuffix(u.Path, "/") {
			folder = u.JoinPath("/")
		}
		for _, b := range belowWeb {
			add(folder.ResolveReference(&url.URL{Path: "./" + b}))
		}
	}
	if name == inventoryName {
		for up, n := folder, 0; n < upwards && up.Path != "/" && up.Path != ""; n++ {
			up = up.ResolveReference(&url.URL{Path: "../"})
			add(up)
		}
	}
	ctx, stop := context.WithTimeout(ctx, callTime)
	s, err := r.openBases(ctx, u.String(), bases, name, configured)
	if err != nil {
		stop()
		return nil, err
	}
	s.close = stop
	return s, nil
}

// openBases opens the first base with an inventory, else the first with the index of a MkDocs site.
func (r *Reader) openBases(ctx context.Context, location string, bases []*url.URL, name string, configured bool) (*openSource, error) {
	var odd error // a page instead of an inventory, at the inventory's address
	names := []string{name}
	if name == inventoryName {
		names = append(names, searchIndexName)
	}
	for _, n := range names {
		for _, b := range bases {
			t := &webTree{ctx: ctx, r: r, base: b, configured: configured, got: map[string]fetched{}}
			s, err := r.openWebTree(t, n)
			if s != nil {
				return s, nil
			}
			switch {
			case err == nil || errors.Is(err, fetch.ErrNotFound) || errors.Is(err, fetch.ErrType):
			case errors.Is(err, inventory.ErrNotInventory) && n == inventoryName: // some servers send a page instead of 404
				odd = err
			default:
				return nil, webFault(t.shown(n), err)
			}
		}
	}
	if odd != nil {
		return nil, odd
	}
	var paths []string
	for _, b := range bases {
		paths = append(paths, b.Path)
	}
	return nil, fault.New(fault.NotFound, "there is no documentation at %s: looked for %s below %s", shorten(location),
		strings.Join(names, " and "), strings.Join(paths, ", ")).
		For("source").With("name the address of its objects.inv, or a folder with a copy of the documentation")
}

// openWebTree opens a base by its inventory or search index; nil if it has neither.
func (r *Reader) openWebTree(t *webTree, name string) (*openSource, error) {
	if _, err := t.read(name, 0); err != nil {
		return nil, err
	}
	// A redirect may have led elsewhere: the pages are there too.
	t.base = t.address(name).ResolveReference(&url.URL{Path: "./" + strings.Repeat("../", strings.Count(name, "/"))})
	s := &openSource{entry: (&htmlPages{r: r, tree: t}).entry}
	var err error
	if name == searchIndexName {
		s.provenance.Kind = "mkdocs"
		s.inv, s.provenance.Hash, err = r.searchIndex(t)
	} else if s.inv, s.provenance.Hash, err = r.inventory(t, name); s.inv != nil {
		s.provenance.Kind = kindOf(s.inv)
	}
	if s.inv == nil || err != nil {
		return nil, err
	}
	s.provenance.Base, s.provenance.Copy = t.base.String(), t.copyOf(name)
	return s, nil
}

func webFault(shown string, err error) error {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f
	}
	code, hint := fault.Unavailable, "try again later, or name a folder with a copy of the documentation"
	switch {
	case errors.Is(err, fetch.ErrBlocked):
		code, hint = fault.Outside, "private addresses are asked where .sdd/config.yaml says docs.allow_private and names the host, and sdd "+
			"trust has your word for it; reserved ones never"
	case errors.Is(err, fetch.ErrHost):
		code, hint = fault.Outside, "add the host to docs.hosts in .sdd/config.yaml"
	case errors.Is(err, fetch.ErrOutside):
		code, hint = fault.Outside, "name the address that it leads to"
	case errors.Is(err, fetch.ErrTooLarge):
		code, hint = fault.Broken, "name a part of the documentation"
	}
	return fault.New(code, "%s: %v", shorten(shown), err).For("source").With(hint).From(err)
}

// withoutUser removes name and password from a text that does not parse as an address.
func withoutUser(s string) string {
	scheme, rest, _ := strings.Cut(s, "://")
	if i := strings.LastIndexByte(rest, '@'); i >= 0 {
		rest = rest[i+1:]
	}
	return scheme + "://" + rest
}

func errNotThere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fetch.ErrNotFound)
}
