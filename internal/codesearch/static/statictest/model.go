// Package statictest makes small models for tests.
package statictest

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// Model writes a model whose tokens have these vectors, of 32 bits, into a new folder.
func Model(t testing.TB, vectors map[string][]float32) (dir string) {
	t.Helper()
	dir = t.TempDir()
	vocab, dims := map[string]int{"[UNK]": 0}, 0
	for piece, v := range vectors {
		vocab[piece], dims = len(vocab), len(v)
	}
	body := make([]byte, 4*dims*len(vocab))
	for piece, v := range vectors {
		for k, x := range v {
			binary.LittleEndian.PutUint32(body[4*(dims*vocab[piece]+k):], math.Float32bits(x))
		}
	}
	words, err := json.Marshal(vocab)
	if err != nil {
		t.Fatal(err)
	}
	Write(t, dir, fmt.Sprintf(`{"normalizer":{"type":"BertNormalizer","lowercase":true},"model":{"type":"WordPiece","unk_token":"[UNK]",
		"continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":%s}}`, words),
		fmt.Sprintf(`{"embeddings":{"dtype":"F32","shape":[%d,%d],"data_offsets":[0,%d]}}`, len(vocab), dims, len(body)), body)
	return dir
}

// Write writes the two files of a model.
func Write(t testing.TB, dir, tokenizer, header string, body []byte) {
	t.Helper()
	src := append(binary.LittleEndian.AppendUint64(nil, uint64(len(header))), header...)
	for name, data := range map[string][]byte{"tokenizer.json": []byte(tokenizer), "model.safetensors": append(src, body...)} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
