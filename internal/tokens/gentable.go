//go:build ignore

// Gentable writes o200k.bin, the o200k_base vocabulary in the form that table.go searches in place,
// from the vocabulary of the library that the tests compare with.
package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"

	"github.com/tiktoken-go/tokenizer"
)

const (
	pairs   = 1 << 16
	buckets = 1 << 18
	ids     = 200_000 // all ranks are below
	name    = "o200k.bin"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gentable:", err)
		os.Exit(1)
	}
}

func run() error {
	codec, err := tokenizer.Get(tokenizer.O200kBase)
	if err != nil {
		return err
	}
	var entries [buckets][]byte
	ranks := bytes.Repeat([]byte{0xff}, 4*pairs)
	for id := range uint(ids) {
		token, err := codec.Decode([]uint{id})
		if err != nil {
			continue // the last ids have no token
		}
		if len(token) == 0 || len(token) > 128 {
			return fmt.Errorf("token %d has %d bytes", id, len(token))
		}
		if len(token) == 2 {
			binary.LittleEndian.PutUint32(ranks[4*(int(token[0])|int(token[1])<<8):], uint32(id))
		}
		b := bucket(token)
		entries[b] = append(entries[b], byte(len(token)), byte(id), byte(id>>8), byte(id>>16))
		entries[b] = append(entries[b], token...)
	}
	start := 4 * (pairs + buckets + 1)
	out, body := ranks, []byte{}
	for _, e := range entries {
		out = binary.LittleEndian.AppendUint32(out, uint32(start+len(body)))
		body = append(body, e...)
	}
	out = binary.LittleEndian.AppendUint32(out, uint32(start+len(body)))
	return os.WriteFile(name, append(out, body...), 0o644)
}

// bucket is the same as in table.go.
func bucket(piece string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(piece); i++ {
		h = (h ^ uint32(piece[i])) * 16777619
	}
	return (h ^ h>>16) % buckets
}
