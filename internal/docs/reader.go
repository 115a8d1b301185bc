package docs

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"sdd/internal/docs/cache"
	"sdd/internal/docs/fetch"
	"sdd/internal/docs/gopkg"
	"sdd/internal/docs/inventory"
	"sdd/internal/docs/page"
	"sdd/internal/docs/prose"
	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// Reader looks things up. It keeps parsed data up to a limit; several goroutines may use it.
type Reader struct {
	settings Settings
	*kept
}

type kept struct {
	inventories memory[keptInventory]  // by folder and file
	packages    memory[*gopkg.Package] // by folder
	pages       memory[keptPage]       // by tree and file
	passages    memory[keptPassages]   // by tree
	building    sync.Mutex             // of indexes of passages
	prose       cache.Folder           // of indexes of passages
	web         fetch.Client
}

type keptInventory struct {
	inv  *inventory.Inventory
	hash string
}

type keptPage struct {
	page *page.Page
	hash string
}

const (
	maxKeptPages       = 64 << 20 // bytes of parsed pages
	maxKeptInventories = 8
	maxKeptPackages    = 16
	maxKeptProse       = 3         // trees
	maxCopies          = 128 << 20 // bytes on disk
	maxIndexes         = 512 << 20
)

// New returns a reader with those settings.
func New(s Settings) *Reader {
	k := &kept{}
	k.inventories.limit, k.packages.limit, k.pages.limit, k.passages.limit = maxKeptInventories, maxKeptPackages, maxKeptPages, maxKeptProse
	if s.Cache != "" {
		k.web.Cache = cache.Folder{Path: filepath.Join(s.Cache, "web"), Most: maxCopies}
		k.prose = cache.Folder{Path: filepath.Join(s.Cache, "prose"), Most: maxIndexes}
	}
	return &Reader{s, k}
}

// With returns a reader with other settings that shares the parsed data and the cache of r.
func (r *Reader) With(s Settings) *Reader { return &Reader{s, r.kept} }

// openSource is an open source: its objects, and the reader of their texts.
type openSource struct {
	inv        *inventory.Inventory
	provenance Provenance
	entry      func(o inventory.Object) (entry, *failure) // reads the documentation of an object
	byAnchor   map[string]string
	expand     func(query string) // adds objects that depend on the query; nil for none
	close      func()

	passages func(ctx context.Context) (*prose.Index, error) // for questions; nil where there are none
	paged    bool                                            // passages have the addresses of pages, not names of objects
}

// entry is the documentation of an object.
type entry struct {
	page.Entry
	url  string
	hash string
	Copy
}

// failure is the reason why an object's documentation is missing.
type failure struct{ code, message string }

func failed(code, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

func (s *openSource) nameOf(anchor string) string {
	if !strings.HasPrefix(anchor, "_CPP") && !strings.HasPrefix(anchor, "c.") && !strings.Contains(anchor, "-") {
		return anchor
	}
	if s.byAnchor == nil {
		s.byAnchor = map[string]string{}
		for _, o := range s.inv.Objects {
			if _, id, ok := strings.Cut(o.URI, "#"); ok && s.byAnchor[id] == "" {
				s.byAnchor[id] = o.Name
			}
		}
	}
	return cmp.Or(s.byAnchor[anchor], anchor)
}

// documentation makes the Documentation of an entry, with the whole description.
func (e entry) documentation(w wanted, nameOf func(string) string) *Documentation {
	d := &Documentation{URL: e.url, Hash: e.hash, Copy: e.Copy, whole: e.Description}
	if w.section(SectionSignature) {
		d.Signature, d.Signatures = &e.Signature, e.Signatures
	}
	if w.section(SectionDescription) {
		d.Description = &e.Description
		shown := e.Members[:min(len(e.Members), maxMembers)]
		for _, m := range shown {
			d.Members = append(d.Members, nameOf(m))
		}
		d.MoreMembers = len(e.Members) - len(shown)
	}
	return d
}

// statStamp changes when a local file changes.
func statStamp(st fs.FileInfo) string {
	return fmt.Sprintf("%d %d", st.Size(), st.ModTime().UnixNano())
}

// memory keeps the values used last, by their keys, up to a limit of their sizes. Several goroutines may use it.
type memory[V any] struct {
	limit int

	mu   sync.Mutex
	size int
	kept []remembered[V] // the last used at the end
}

type remembered[V any] struct {
	key, stamp string
	value      V
	size       int
}

// take removes the value of a key and returns it. The caller holds mu.
func (m *memory[V]) take(key string) (r remembered[V], ok bool) {
	at := slices.IndexFunc(m.kept, func(r remembered[V]) bool { return r.key == key })
	if at < 0 {
		return r, false
	}
	r = m.kept[at]
	m.kept = slices.Delete(m.kept, at, at+1)
	m.size -= r.size
	return r, true
}

// get returns the value of a key that was put with the same stamp, which changes when the value's source does.
func (m *memory[V]) get(key, stamp string) (v V, ok bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.take(key)
	if !ok || r.stamp != stamp {
		return v, false
	}
	m.kept = append(m.kept, r)
	m.size += r.size
	return r.value, true
}

// put keeps a value, and always the last one, whatever its size.
func (m *memory[V]) put(key, stamp string, v V, size int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.take(key)
	m.kept = append(m.kept, remembered[V]{key, stamp, v, size})
	for m.size += size; m.size > m.limit && len(m.kept) > 1; {
		m.take(m.kept[0].key)
	}
}

// htmlPages reads objects from the pages of a tree. The reader keeps the latest parsed pages.
type htmlPages struct {
	r    *Reader
	tree tree
}

func (h *htmlPages) entry(o inventory.Object) (entry, *failure) {
	file, fragment, fail := splitURI(o.URI)
	if fail != nil {
		return entry{}, fail
	}
	k, at, fail := h.page(file)
	if fail != nil {
		return entry{}, fail
	}
	address := h.tree.address(at)
	e, err := k.page.Entry(fragment, address)
	if errors.Is(err, page.ErrTooLarge) {
		return entry{}, failed(TooLarge, "%s: what stands at #%s is too large", at, shorten(fragment))
	}
	if err != nil {
		return entry{}, failed(AnchorNotFound, "%s has no anchor %q", at, fragment)
	}
	to := *address
	to.Fragment = e.Anchor
	return entry{Entry: e, url: to.String(), hash: k.hash, Copy: h.tree.copyOf(at)}, nil
}

var foreignScheme = pattern.Late(`^(?i)([a-z][a-z0-9+.-]*://|(?:file|http|https|data|javascript|mailto|about|ftp|blob):)`)

// splitURI returns the file, relative to the tree, and the fragment of an inventory's address.
func splitURI(uri string) (file, fragment string, fail *failure) {
	file, fragment, _ = strings.Cut(uri, "#")
	if foreignScheme().MatchString(file) || strings.HasPrefix(file, "/") || strings.HasPrefix(file, `\`) {
		return "", "", failed(OutsideSource, "the address %q leads out of the documentation", shorten(uri))
	}
	if d, err := url.PathUnescape(file); err == nil {
		file = d
	}
	if file == "" || strings.HasSuffix(file, "/") {
		file += "index.html"
	}
	if strings.ContainsAny(file, "\x00\\") {
		return "", "", failed(OutsideSource, "the address %q is no path", shorten(uri))
	}
	file = path.Clean(file)
	if file == ".." || strings.HasPrefix(file, "../") || strings.HasPrefix(file, "/") {
		return "", "", failed(OutsideSource, "the address %q leads out of the documentation", shorten(uri))
	}
	return file, fragment, nil
}

// page returns a parsed page and its file: for a folder its index.html.
func (h *htmlPages) page(file string) (k keptPage, at string, fail *failure) {
	at = file
	k, err := h.load(at)
	if at != "index.html" && (errors.Is(err, errFolder) || errNotThere(err) && path.Ext(file) == "") {
		at = path.Join(file, "index.html")
		k, err = h.load(at)
	}
	if err == nil {
		return k, at, nil
	}
	code, what := codeOf(err)
	return k, "", failed(code, "%s: %s", shorten(file), what)
}

// codeOf returns the code and the words of the reason why a page cannot be read.
func codeOf(err error) (code, what string) {
	is := func(reasons ...error) bool {
		return slices.ContainsFunc(reasons, func(r error) bool { return errors.Is(err, r) })
	}
	switch {
	case is(fs.ErrNotExist, fetch.ErrNotFound):
		return PageNotFound, "the page is not in this documentation"
	case is(errTooLarge, page.ErrTooLarge, fetch.ErrTooLarge):
		return TooLarge, "the page is too large: at most 16 MiB and a million elements are read"
	case is(errOutside, fetch.ErrOutside):
		return OutsideSource, err.Error()
	case is(fetch.ErrBlocked, fetch.ErrHost):
		return BlockedAddress, err.Error()
	case is(page.ErrNotHTML, errNotRegular, fetch.ErrType):
		return NotHTML, err.Error()
	}
	return FetchFailed, err.Error()
}

func (h *htmlPages) load(at string) (k keptPage, err error) {
	defer fault.Caught(&err)
	key := h.tree.key() + "\x00" + at
	stamp := fault.Must(h.tree.stamp(at))
	if k, ok := h.r.pages.get(key, stamp); ok {
		return k, nil
	}
	f := fault.Must(h.tree.read(at, page.MaxBytes))
	hash := hashOf(f.data) // before parsing, so that the bytes can be freed
	p := fault.Must(page.Parse(f.data, f.contentType))
	k = keptPage{p, hash}
	h.r.pages.put(key, f.stamp, k, p.Bytes())
	return k, nil
}

func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

func shorten(s string) string { return fault.Cut(s, 121) }
