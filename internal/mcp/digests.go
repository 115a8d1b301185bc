package mcp

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"sdd/internal/mcp/catalog"
	"sdd/internal/store"
)

// maxTold is the number of changes that the digest names; it counts the others.
const maxTold = 5

// digests remember which changes each client has received.
type digests struct {
	store *store.Store

	mu   sync.Mutex
	seen map[string]store.Cursor // by session
}

func newDigests(st *store.Store) *digests {
	return &digests{store: st, seen: map[string]store.Cursor{}}
}

// notices returns a line about changes that others made on disk since the client's last call. A client without a session gets
// only the changes that are lost. After the first record of this server, another line warns when git ignores it.
func (d *digests) notices(ctx context.Context, who catalog.Client) []string {
	if i := d.store.NewlyIgnored(ctx); i != nil {
		return append(d.changes(who), i.Text()+". "+i.Fix())
	}
	return d.changes(who)
}

func (d *digests) changes(who catalog.Client) []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	news, now := d.store.Notices(d.seen[who.Session], who.Session)
	if who.Session != "" {
		d.seen[who.Session] = now
	}
	if line := digest(news); line != "" {
		return []string{line}
	}
	return nil
}

func (d *digests) left(session string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.seen, session)
}

// digest returns a line about the changes, "" for none. Lost changes come first, and it always
// names them.
func digest(news []store.Notice) string {
	var parts []string
	named, more := map[string]bool{}, 0
	for _, n := range news {
		if n.Pending() {
			parts = append(parts, n.Text())
			named[n.Path] = true
		}
	}
	for _, n := range news {
		if n.Pending() || named[n.Path] {
			continue
		}
		named[n.Path] = true
		if len(parts) >= maxTold {
			more++
			continue
		}
		parts = append(parts, n.Text())
	}
	if len(parts) == 0 {
		return ""
	}
	line := "Changed since your last call: " + strings.Join(parts, "; ")
	if more > 0 {
		line += fmt.Sprintf("; and %d more", more)
	}
	return line
}
