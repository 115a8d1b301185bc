package setup

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
	"sdd/internal/tokens"
)

// index compares what the index knows with the files that it is derived from.
func (c *Checkup) index(ctx context.Context, st *store.Store, ix *index.Index) error {
	stale, read, err := staleEntries(ctx, st, ix)
	if err == nil && len(stale) > 0 { // somebody may have saved in between
		if err = ix.Refresh(ctx); err == nil {
			stale, read, err = staleEntries(ctx, st, ix)
		}
	}
	if err != nil {
		return err
	}
	if len(stale) > 0 {
		c.find("index", store.Folder+"/"+stale[0], 0, fmt.Sprintf("the index knows another text of %d records than their files hold", len(stale)),
			"delete the folder "+store.Folder+"/.local/index: it is made anew; and please report it")
		return nil
	}
	c.Checked = append(c.Checked, fmt.Sprintf("index: knows %d files as they are", read))
	return nil
}

// staleEntries returns the paths of records that the index knows otherwise than their files say, and how many files were read.
func staleEntries(ctx context.Context, st *store.Store, ix *index.Index) (stale []string, read int, err error) {
	known := map[string]string{}
	for _, e := range ix.Entries() {
		known[e.Path] = e.Etag
	}
	err = st.Scan(ctx, func(path string, _ store.Stat) error {
		etag := known[path]
		delete(known, path)
		if f, err := st.Read(path); err == nil {
			read++
			if record.Etag(f.Bytes) != etag {
				stale = append(stale, path)
			}
		}
		return nil
	})
	for path := range known {
		stale = append(stale, path)
	}
	slices.Sort(stale)
	return stale, read, err
}

// Budgets rest on an exact count: this text has that many tokens of o200k_base.
const (
	countedText   = "Keep what a project finds out — 日本語, naïve, x += 1;"
	countedTokens = 18
)

// tokens looks at what budgets are counted with, and at the token of HTTP servers that the environment holds.
func (c *Checkup) tokens() {
	if n := tokens.Count(countedText); n != countedTokens {
		c.find("tokens", "", 0, fmt.Sprintf("this program counts %d tokens where there are %d: it is damaged, and budgets do not hold", n, countedTokens), "install it again")
	} else {
		c.Checked = append(c.Checked, "tokens: counted as o200k_base")
	}
	if token := os.Getenv(TokenVariable); token != "" && (len(token) < MinToken || strings.ContainsFunc(token, func(r rune) bool { return r <= ' ' || r > '~' })) {
		c.find("token", "", 0, fmt.Sprintf("the token in %s is shorter than %d characters, or holds others than visible ASCII: sdd mcp --http refuses it", TokenVariable, MinToken), "make one with: openssl rand -hex 32")
	}
}

// MinToken is the length of the shortest token that an HTTP server takes, in characters.
const MinToken = 16
