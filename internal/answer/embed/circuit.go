package embed

import (
	"encoding/json"
	"sync"
	"time"

	"sdd/internal/store"
)

// rest is the time without requests to a server after its failure.
const rest = time.Minute

const downName = "down.json"

// circuit remembers a failure of the server: in memory, and on disk for later processes of the command line, which each make
// only one call.
type circuit struct {
	st  *store.Store
	key string // of the server and model

	mu   sync.Mutex
	last *down // the last failure, nil before the first read
}

// down is .sdd/.local/embeddings/down.json.
type down struct {
	Key string `json:"key"`
	At  int64  `json:"at"` // seconds since 1970
	Why string `json:"why"`
}

// open returns the reason not to send a request now, "" for none.
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
	if age := time.Since(time.Unix(c.last.At, 0)); age >= 0 && age < rest { // a clock set back must not extend the pause
		return c.last.Why
	}
	return ""
}

// fail records a failure; keep writes it to disk for other processes.
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
			_ = store.WriteWhole(dir, downName, src, false) // without the file another process only tries earlier
		}
	}
}
