package learning

import (
	"encoding/json"

	"sdd/internal/record"
)

// The cache on disk holds the ideas by the etag of their files, and the verdicts of the commits. An unreadable file
// counts as missing. From it the next process also sees the changes before its start.

const (
	cacheName = "book"
	mostCache = 256 << 20
)

// cacheFile is the content of the file.
type cacheFile struct {
	Head    string
	Ideas   []cachedIdea
	Commits map[string]commitVerdict
}

// cachedIdea is an idea with the values that its JSON lacks.
type cachedIdea struct {
	Idea
	Imported      string
	Path          string
	Broken, White bool
	Files         []string
}

// store writes the cache for the next process.
func (b *cache) store() {
	b.state.RLock()
	defer b.state.RUnlock()
	if !b.dirty {
		return
	}
	f := cacheFile{Head: b.head, Commits: b.commits}
	for _, i := range b.All {
		kept := cachedIdea{*i, i.Imported, i.path, i.broken, i.white, i.files}
		kept.Verdict = nil
		f.Ideas = append(f.Ideas, kept)
	}
	if src, err := json.Marshal(f); err == nil {
		b.l.writePrivate(localFolder, cacheName, src)
	}
}

// load reads the ideas that an earlier process stored, and reports whether there were any.
func (b *cache) load() (found bool) {
	var f cacheFile
	src, err := b.l.readPrivate(localFolder, cacheName, mostCache)
	if found = err == nil && json.Unmarshal(src, &f) == nil; !found {
		f = cacheFile{}
	}
	b.state.Lock()
	defer b.state.Unlock()
	b.All, b.sorted, b.byName = map[string]*Idea{}, nil, nil
	b.head, b.commits, b.dirty = f.Head, f.Commits, false
	for n := range f.Ideas {
		kept := &f.Ideas[n]
		i := &kept.Idea
		i.Imported, i.path, i.files = kept.Imported, kept.Path, kept.Files
		i.broken, i.white, i.created = kept.Broken, kept.White, record.Moment(i.Created)
		b.All[i.path] = i
	}
	return found
}
