package fetch

import (
	"bufio"
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	maxCache = 128 << 20 // bytes of all copies
	prefix   = "copy-"
)

// copied is a kept copy.
type copied struct {
	Document
	ETag, Modified string
}

// head is the first line of a copy's file; its document follows. A file that does not fit its head is no copy.
type head struct {
	URL      string    `json:"url"`  // that was asked for
	At       string    `json:"at"`   // where it was found
	Type     string    `json:"type"` // as the server said
	ETag     string    `json:"etag,omitempty"`
	Modified string    `json:"modified,omitempty"`
	Fetched  time.Time `json:"fetched"` // or last found unchanged
	Sum      string    `json:"sha256"`
}

func (c *Client) file(key string) string {
	sum := sha256.Sum256([]byte(key))
	return filepath.Join(c.Cache, prefix+hex.EncodeToString(sum[:16]))
}

// load returns the copy of an address, if there is one that the request would accept.
func (c *Client) load(key string, q Request) (*copied, bool) {
	if c.Cache == "" {
		return nil, false
	}
	f, err := os.Open(c.file(key))
	if err != nil {
		return nil, false
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, 64<<10)
	line, err := r.ReadSlice('\n')
	if err != nil {
		return nil, false
	}
	var h head
	if json.Unmarshal(line, &h) != nil || h.URL != key {
		return nil, false
	}
	at, err := url.Parse(h.At)
	if err != nil || q.allowed(at) != nil || q.Within != "" && Origin(at) != q.Within || !typed(h.Type, q.Types) {
		return nil, false
	}
	data, err := io.ReadAll(io.LimitReader(r, q.Limit+1))
	if err != nil || int64(len(data)) > q.Limit || sumOf(data) != h.Sum {
		return nil, false
	}
	return &copied{Document{Data: data, Type: h.Type, URL: at, Fetched: h.Fetched}, h.ETag, h.Modified}, true
}

// store keeps a copy. A disk that does not take it is no failure.
func (c *Client) store(key string, k *copied) {
	if c.Cache == "" {
		return
	}
	line, err := json.Marshal(head{key, k.URL.String(), k.Type, k.ETag, k.Modified, k.Fetched.UTC(), sumOf(k.Data)})
	if err != nil || len(line) > 60<<10 || os.MkdirAll(c.Cache, 0o700) != nil {
		return
	}
	f, err := os.CreateTemp(c.Cache, ".new-*")
	if err != nil {
		return
	}
	w := bytes.Join([][]byte{line, k.Data}, []byte("\n"))
	_, err = f.Write(w)
	if cmp.Or(err, f.Close()) == nil {
		err = os.Rename(f.Name(), c.file(key))
	}
	if err != nil {
		os.Remove(f.Name())
		return
	}
	c.shrink(maxCache)
}

func (c *Client) forget(key string) {
	if c.Cache != "" {
		os.Remove(c.file(key))
	}
}

// shrink removes the copies that were written longest ago until they have at most so many bytes, and what a process that
// ended left behind.
func (c *Client) shrink(most int64) {
	entries, err := os.ReadDir(c.Cache)
	if err != nil {
		return
	}
	type copyFile struct {
		path string
		size int64
		at   time.Time
	}
	var files []copyFile
	sum := int64(0)
	for _, e := range entries {
		st, err := e.Info()
		if err != nil || !st.Mode().IsRegular() {
			continue
		}
		f := copyFile{filepath.Join(c.Cache, e.Name()), st.Size(), st.ModTime()}
		switch {
		case strings.HasPrefix(e.Name(), prefix):
			files = append(files, f)
			sum += f.size
		case strings.HasPrefix(e.Name(), ".new-") && time.Since(f.at) > time.Hour:
			os.Remove(f.path)
		}
	}
	slices.SortFunc(files, func(a, b copyFile) int { return cmp.Or(a.at.Compare(b.at), strings.Compare(a.path, b.path)) })
	for _, f := range files {
		if sum <= most {
			return
		}
		if os.Remove(f.path) == nil {
			sum -= f.size
		}
	}
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
