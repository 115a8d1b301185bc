package docs

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"

	"sdd/internal/docs/cache"
	"sdd/internal/docs/fetch"
	"sdd/internal/docs/gopkg"
	"sdd/internal/docs/inventory"
	"sdd/internal/docs/page"
	"sdd/internal/docs/prose"
)

// Reader looks things up. It keeps parsed data up to a limit; several goroutines may use it.
type Reader struct {
	settings Settings
	*kept
}

// kept is the parsed data.
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
	entries    entryReader
	byAnchor   map[string]string
	expand     func(query string) // adds objects that depend on the query; nil for none
	close      func()

	passages func(ctx context.Context) (*prose.Index, error) // for questions; nil where there are none
	paged    bool                                            // for questions; nil if there are none
}

// entryReader reads the documentation of one object.
type entryReader interface {
	entry(o inventory.Object) (entry, *failure)
}

// entry is the documentation of an object.
type entry struct {
	page.Entry
	url  string
	hash string
	age
}

// failure is the reason why an object's documentation is missing.
type failure struct{ code, message string }

func failed(code, format string, args ...any) *failure {
	return &failure{code, fmt.Sprintf(format, args...)}
}

// names returns a function that maps an anchor to its object's name.
func (s *openSource) names() func(anchor string) string {
	return func(anchor string) string {
		if strings.HasPrefix(anchor, "_CPP") || strings.HasPrefix(anchor, "c.") || strings.Contains(anchor, "-") {
			if s.byAnchor == nil {
				s.byAnchor = map[string]string{}
				for i := range s.inv.Len() {
					o := s.inv.Object(i)
					if _, id, ok := strings.Cut(o.URI, "#"); ok && s.byAnchor[id] == "" {
						s.byAnchor[id] = o.Name
					}
				}
			}
			if name := s.byAnchor[anchor]; name != "" {
				return name
			}
		}
		return anchor
	}
}

// documentation makes the Documentation of an entry, with the whole description.
func (e entry) documentation(w wanted, nameOf func(string) string) *Documentation {
	d := &Documentation{URL: e.url, Hash: e.hash}
	d.Fetched, d.Stale = e.format()
	if w.section(SectionSignature) {
		d.Signature = &e.Signature
		d.Signatures = e.Signatures
	}
	if w.section(SectionDescription) {
		d.Description = &e.Description
		for i, m := range e.Members {
			if i == maxMembers {
				d.MoreMembers = len(e.Members) - maxMembers
				break
			}
			d.Members = append(d.Members, nameOf(m))
		}
	}
	return d
}

// statStamp changes when a local file changes.
func statStamp(st fs.FileInfo) string {
	return fmt.Sprintf("%d %d", st.Size(), st.ModTime().UnixNano())
}
