package fetch

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"time"
)

// copied is a cached copy.
type copied struct {
	Document
	ETag, Modified string
}

// head is the first line of a copy's file; its document follows. A file that does not match its head is invalid.
type head struct {
	URL      string    `json:"url"`  // the requested URL
	At       string    `json:"at"`   // the URL after redirects
	Type     string    `json:"type"` // the server's content type
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Fetched  time.Time `json:"fetched"` // or last found unchanged
	Sum      string    `json:"sha256"`
}

const maxHead = 64 << 10 // bytes

// load returns the copy of an address, nil for none that the request would accept.
func (c *Client) load(key string, q Request) *copied {
	f, err := c.Cache.Open(key)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, maxHead)
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil
	}
	var h head
	if json.Unmarshal(line, &h) != nil || h.URL != key {
		return nil
	}
	at, err := url.Parse(h.At)
	if err != nil || q.allowed(at) != nil || q.Within != "" && Origin(at) != q.Within || !typed(h.Type, q.Types) {
		return nil
	}
	data, err := io.ReadAll(io.LimitReader(r, q.Limit+1))
	if err != nil || int64(len(data)) > q.Limit || sumOf(data) != h.Sum {
		return nil
	}
	return &copied{Document{Data: data, Type: h.Type, URL: at, Fetched: h.Fetched}, h.ETag, h.Modified}
}

func (c *Client) store(key string, k *copied) {
	line, err := json.Marshal(head{key, k.URL.String(), k.Type, k.ETag, k.Modified, k.Fetched.UTC(), sumOf(k.Data)})
	if err == nil && len(line) < maxHead {
		c.Cache.Put(key, line, []byte("\n"), k.Data)
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
