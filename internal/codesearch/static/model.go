// Package static reads static word vectors in Model2Vec's form from a local folder: a vector for each token, whose mean is the
// vector of a text. Of the vectors it reads only the rows that it needs.
package static

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"sdd/internal/fault"
)

const (
	weightsFile = "model.safetensors"
	vocabFile   = "tokenizer.json"

	maxHeader = 1 << 20  // bytes of the weights' header
	maxVocab  = 64 << 20 // bytes of the vocabulary
	maxTokens = 512      // of a text
	maxDims   = 4096
)

// Model is safe for concurrent use.
type Model struct {
	tokenizer
	file *os.File
	rows tensor // a vector for each token, or for each value of mapping

	mapping, weights tensor // by token: the row, and a factor; rows is 0 where the model has none

	mu    sync.Mutex
	known map[int][]float32
}

// tensor is a matrix in the file.
type tensor struct {
	kind       string
	rows, dims int
	at         int64
}

var opened struct {
	sync.Mutex
	key   string
	model *Model
}

// Open returns the model in a folder, and keeps the last one while its files are the same. The fault is Invalid, with what is wrong.
func Open(dir string) (*Model, error) {
	key := dir
	for _, name := range []string{weightsFile, vocabFile} {
		st, err := os.Stat(filepath.Join(dir, name))
		if err != nil || !st.Mode().IsRegular() {
			return nil, bad(dir, name, "there is no such file")
		}
		key += fmt.Sprintf("\x00%d %d", st.Size(), st.ModTime().UnixNano())
	}
	opened.Lock()
	defer opened.Unlock()
	if opened.key == key {
		return opened.model, nil
	}
	m := &Model{known: map[int][]float32{}}
	src, err := readAtMost(filepath.Join(dir, vocabFile), maxVocab)
	if err == nil {
		err = m.tokenizer.parse(src)
	}
	if err != nil {
		return nil, bad(dir, vocabFile, err.Error())
	}
	if m.file, err = os.Open(filepath.Join(dir, weightsFile)); err == nil {
		if err = m.header(); err != nil {
			m.file.Close()
		}
	}
	if err != nil {
		return nil, bad(dir, weightsFile, err.Error())
	}
	opened.key, opened.model = key, m // a search may still use the one before, so its file stays open until it is collected
	return m, nil
}

func bad(dir, name, why string) error {
	return fault.New(fault.Invalid, "%s of the model cannot be used: %s", filepath.Join(dir, name), why).
		With("name the folder of a Model2Vec model, with " + weightsFile + " and " + vocabFile)
}

func readAtMost(file string, most int64) ([]byte, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	src, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(src)) > most {
		err = fmt.Errorf("it has more than %d bytes", most)
	}
	return src, err
}

var sizes = map[string]int64{"F32": 4, "F16": 2, "I64": 8, "I32": 4}

// header reads where the tensors are.
func (m *Model) header() error {
	st, err := m.file.Stat()
	if err != nil {
		return err
	}
	var length [8]byte
	if _, err := m.file.ReadAt(length[:], 0); err != nil {
		return fmt.Errorf("it is too short")
	}
	n := binary.LittleEndian.Uint64(length[:])
	if n > maxHeader {
		return fmt.Errorf("its header has %d bytes, at most %d are read", n, maxHeader)
	}
	src := make([]byte, n)
	if _, err := m.file.ReadAt(src, 8); err != nil {
		return fmt.Errorf("its header is cut off")
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(src, &all); err != nil {
		return fmt.Errorf("its header is no JSON: %w", err)
	}
	for name, t := range map[string]*tensor{"embeddings": &m.rows, "mapping": &m.mapping, "weights": &m.weights} {
		raw, ok := all[name]
		if !ok {
			continue
		}
		var one struct {
			Kind    string  `json:"dtype"`
			Shape   []int   `json:"shape"`
			Offsets []int64 `json:"data_offsets"`
		}
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("the entry of %s: %w", name, err)
		}
		if len(one.Shape) == 1 && name != "embeddings" {
			one.Shape = append(one.Shape, 1)
		}
		if len(one.Shape) != 2 || len(one.Offsets) != 2 || sizes[one.Kind] == 0 || one.Shape[0] < 1 || one.Shape[0] > math.MaxInt32 ||
			one.Shape[1] < 1 || one.Shape[1] > maxDims {
			return fmt.Errorf("%s is no matrix of numbers that are read here: %s %v", name, one.Kind, one.Shape)
		}
		*t = tensor{one.Kind, one.Shape[0], one.Shape[1], 8 + int64(n) + one.Offsets[0]}
		size := int64(t.rows) * int64(t.dims) * sizes[t.kind]
		if one.Offsets[0] < 0 || one.Offsets[1]-one.Offsets[0] != size || t.at > st.Size() || size > st.Size()-t.at {
			return fmt.Errorf("%s is cut off", name)
		}
	}
	if m.rows.rows == 0 {
		return fmt.Errorf("it has no tensor embeddings")
	}
	return nil
}

func (m *Model) row(t tensor, i int) ([]float32, bool) {
	if i < 0 || i >= t.rows {
		return nil, false
	}
	size := sizes[t.kind]
	src := make([]byte, int64(t.dims)*size)
	if _, err := m.file.ReadAt(src, t.at+int64(i)*int64(len(src))); err != nil {
		return nil, false
	}
	out := make([]float32, t.dims)
	for k := range out {
		b := src[int64(k)*size:]
		switch t.kind {
		case "F32":
			out[k] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		case "I64":
			out[k] = float32(int64(binary.LittleEndian.Uint64(b)))
		case "I32":
			out[k] = float32(int32(binary.LittleEndian.Uint32(b)))
		default:
			out[k] = half(binary.LittleEndian.Uint16(b))
		}
	}
	return out, true
}

// half converts a number of 16 bits.
func half(h uint16) float32 {
	sign, exp, frac := uint32(h>>15)<<31, uint32(h>>10&31), uint32(h&1023)
	switch exp {
	case 0:
		f := float32(frac) / (1 << 24)
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 31:
		return math.Float32frombits(sign | 0xff<<23 | frac<<13)
	}
	return math.Float32frombits(sign | (exp+112)<<23 | frac<<13)
}

// token returns the vector of a token, nil if the model has none.
func (m *Model) token(id int) []float32 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if v, ok := m.known[id]; ok {
		return v
	}
	at := id
	if m.mapping.rows > 0 {
		to, ok := m.row(m.mapping, id)
		if at = -1; ok {
			at = int(to[0])
		}
	}
	v, _ := m.row(m.rows, at)
	if w, ok := m.row(m.weights, id); ok {
		for k := range v {
			v[k] *= w[0]
		}
	}
	m.known[id] = v
	return v
}

// Vector returns the mean of the vectors of a text's first tokens, of length 1; nil for a text without a known token.
func (m *Model) Vector(text string) []float32 {
	sum := make([]float32, m.rows.dims)
	ids := m.ids(text)
	for _, id := range ids[:min(len(ids), maxTokens)] {
		for k, x := range m.token(id) {
			sum[k] += x
		}
	}
	length := 0.0
	for _, x := range sum {
		length += float64(x) * float64(x)
	}
	if length = math.Sqrt(length); length == 0 || math.IsNaN(length) || math.IsInf(length, 0) {
		return nil
	}
	for k := range sum {
		sum[k] /= float32(length)
	}
	return sum
}
