package embed

import (
	"encoding/json"
	"sync"
	"time"

	"sdd/internal/store"
)

// rest is how long a server that failed is not asked again.
const rest = time.Minute

const downName = "down.json"

// circuit remembers that the server failed: in memory, and on disk for the processes of the command line, which live for one
// call.
type circuit struct {
	st  *store.Store
	key string // of the server and model

	mu   sync.Mutex
	last *down // the last failure, nil before the file was read
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
	if c.last == nil {
		c.last = &down{}
		if dir, err := c.st.Private(folder, false); err == nil {
			defer dir.Close()
			src, err := dir.ReadFile(downName)
			if err != nil || json.Unmarshal(src, c.last) != nil || c.last.Key != c.key {
				*c.last = down{}
			}
		}
	}
	if age := time.Since(time.Unix(c.last.At, 0)); age >= 0 && age < rest { // a clock that was set back must not keep it open
		return c.last.Why
	}
	return ""
}

// fail opens the circuit; keep opens it for other processes too.
func (c *circuit) fail(why string, keep bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.last = &down{c.key, time.Now().Unix(), why}
	if !keep {
		return
	}
	if dir, err := c.st.Private(folder, true); err == nil {
		defer dir.Close()
		if src, err := json.Marshal(c.last); err == nil {
			_ = store.WriteWhole(dir, downName, src, false) // without the file another process asks a little earlier
		}
	}
}
