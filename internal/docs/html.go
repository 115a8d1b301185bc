package docs

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"strings"
	"sync"

	"sdd/internal/docs/fetch"
	"sdd/internal/docs/inventory"
	"sdd/internal/docs/page"
	"sdd/internal/pattern"
)

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
	return entry{Entry: e, url: to.String(), hash: k.hash, age: h.tree.ageOf(at)}, nil
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
	for _, f := range failures() {
		if errors.Is(err, f.err) {
			return f.code, cmp.Or(f.what, err.Error())
		}
	}
	return FetchFailed, err.Error()
}

// failures are the codes of the reasons why a page cannot be read, and their words, "" for those of the error.
var failures = sync.OnceValue(func() []struct {
	err        error
	code, what string
} {
	const (
		gone  = "the page is not in this documentation"
		large = "the page is too large: at most 16 MiB and a million elements are read"
	)
	return []struct {
		err        error
		code, what string
	}{
		{fs.ErrNotExist, PageNotFound, gone}, {fetch.ErrNotFound, PageNotFound, gone},
		{errTooLarge, TooLarge, large}, {page.ErrTooLarge, TooLarge, large}, {fetch.ErrTooLarge, TooLarge, large},
		{errOutside, OutsideSource, ""}, {fetch.ErrOutside, OutsideSource, ""},
		{fetch.ErrBlocked, BlockedAddress, ""}, {fetch.ErrHost, BlockedAddress, ""},
		{page.ErrNotHTML, NotHTML, ""}, {errNotRegular, NotHTML, ""}, {fetch.ErrType, NotHTML, ""},
	}
})

func (h *htmlPages) load(at string) (k keptPage, err error) {
	key := h.tree.key() + "\x00" + at
	stamp, err := h.tree.stamp(at)
	if err != nil {
		return k, err
	}
	if k, ok := h.r.pages.get(key, stamp); ok {
		return k, nil
	}
	f, err := h.tree.read(at, page.MaxBytes)
	if err != nil {
		return k, err
	}
	hash := hashOf(f.data) // before parsing, so that the bytes can be freed
	p, err := page.Parse(f.data, f.contentType)
	if err != nil {
		return k, err
	}
	k = keptPage{p, hash}
	h.r.pages.put(key, f.stamp, k, p.Bytes())
	return k, nil
}

// hashOf is the start of the SHA-256.
func hashOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:8])
}

// shorten shortens a text for a message.
func shorten(s string) string {
	if rs := []rune(s); len(rs) > 120 {
		return string(rs[:120]) + "…"
	}
	return s
}
