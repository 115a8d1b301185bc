package embed

import (
	"encoding/json"
	"sync"
	"time"

	"sdd/internal/store"
)

// rest is how long a server that failed is left alone.
const rest = time.Minute

const downName = "down.json"

// circuit remembers that the server failed: in memory, and on disk for the processes of the command line, which live for one
// call.
type circuit struct {
	st  *store.Store
	key string // of the server and model

	mu    sync.Mutex
	read  bool
	until time.Time
	why   string
}

// down is .sdd/.local/embeddings/down.json.
type down struct {
	Key string `json:"key"`
	At  int64  `json:"at"` // seconds since 1970
	Why string `json:"why"`
}

// open returns why the server is not asked now, "" when it is.
func (c *circuit) open() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	if !c.read {
		c.read = true
		if dir, err := c.st.Private(folder, false); err == nil {
			defer dir.Close()
			var d down
			src, err := dir.ReadFile(downName)
			age := time.Duration(0)
			if err == nil && json.Unmarshal(src, &d) == nil && d.Key == c.key {
				age = now.Sub(time.Unix(d.At, 0))
				if age >= 0 && age < rest { // a clock that was set back must not keep it open
					c.until, c.why = now.Add(rest-age), d.Why
				}
			}
		}
	}
	if now.Before(c.until) {
		return c.why
	}
	return ""
}

// fail opens the circuit; keep tells the next process, too.
func (c *circuit) fail(why string, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	c.until, c.why, c.read = now.Add(rest), why, true
	if !keep {
		return
	}
	if dir, err := c.st.Private(folder, true); err == nil {
		defer dir.Close()
		if src, err := json.Marshal(down{c.key, now.Unix(), why}); err == nil {
			_ = store.WriteWhole(dir, downName, src, false) // it is only asked again a little earlier
		}
	}
}
