package static

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sdd/internal/codesearch/static/statictest"
)

func TestVector(t *testing.T) {
	m, err := Open(statictest.Model(t, map[string][]float32{
		"parse": {1, 0, 0}, "##r": {0, 1, 0}, "header": {0, 0, 2}, "(": {0, 0, 0}, "caf": {3, 0, 0}, "##e": {0, 4, 0}, "中": {0, 5, 0},
	}))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]float32{
		"parse": {1, 0, 0}, "Parser": {0.70710677, 0.70710677, 0}, "header(parse)": {0.4472136, 0, 0.8944272}, "Café": {0.6, 0.8, 0},
		"unknown parse": {1, 0, 0}, "parsed": nil, "": nil, "中parse": {0.19611613, 0.9805807, 0}, "\xff": nil,
	} {
		got := m.Vector(text)
		if len(got) != len(want) || !slices.EqualFunc(got, want, func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-6 }) {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// A model with a smaller table has a row for several tokens and a factor for each; its numbers have 16 bits.
func TestMappedVector(t *testing.T) {
	dir := t.TempDir()
	body := []byte{0, 0x3c, 0, 0x40, 0, 0xc0, 0, 0x38} // 1 2, -2 0.5
	body = append(body, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
	body = append(body, 0, 0, 0, 0x40, 0, 0, 0x80, 0x3f) // 2, 1
	statictest.Write(t, dir, `{"model":{"type":"WordPiece","vocab":{"a":0,"b":1}}}`,
		`{"embeddings":{"dtype":"F16","shape":[2,2],"data_offsets":[0,8]},"mapping":{"dtype":"I64","shape":[2],"data_offsets":[8,24]},
		"weights":{"dtype":"F32","shape":[2],"data_offsets":[24,32]},"__metadata__":{"format":"pt"}}`, body)
	m, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := m.token(0), m.token(1); !slices.Equal(a, []float32{-4, 1}) || !slices.Equal(b, []float32{1, 2}) || m.token(2) != nil {
		t.Errorf("%v %v %v", a, b, m.token(2))
	}
	for h, want := range map[uint16]float32{0x0001: 5.9604645e-08, 0x83ff: -6.097555e-05, 0x7bff: 65504, 0x7c00: float32(math.Inf(1))} {
		if got := half(h); got != want {
			t.Errorf("%04x is %g, want %g", h, got, want)
		}
	}
}

func TestBadFiles(t *testing.T) {
	const words = `{"model":{"type":"WordPiece","vocab":{"a":0}}}`
	const header = `{"embeddings":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]}}`
	for name, one := range map[string]struct{ words, header, body, want string }{
		"no JSON":       {`{`, header, "1234", "tokenizer.json of the model cannot be used: it is no JSON"},
		"another model": {`{"model":{"type":"BPE","vocab":{}}}`, header, "1234", `of type "BPE"`},
		"no words":      {`{"model":{"type":"WordPiece","vocab":{}}}`, header, "1234", "vocabulary is empty"},
		"cut off":       {words, header, "12", "embeddings is cut off"},
		"no tensor":     {words, `{}`, "1234", "no tensor embeddings"},
		"no matrix":     {words, `{"embeddings":{"dtype":"F32","shape":[1,1,1],"data_offsets":[0,4]}}`, "1234", "no matrix"},
		"huge":          {words, `{"embeddings":{"dtype":"F32","shape":[2000000000,4000],"data_offsets":[0,4]}}`, "1234", "cut off"},
		"other numbers": {words, `{"embeddings":{"dtype":"BF16","shape":[1,1],"data_offsets":[0,2]}}`, "1234", "no matrix"},
		"no header":     {words, `[`, "1234", "header is no JSON"},
	} {
		dir := t.TempDir()
		statictest.Write(t, dir, one.words, one.header, []byte(one.body))
		if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), one.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	dir := t.TempDir()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "there is no such file") {
		t.Error(err)
	}
	if err := os.WriteFile(filepath.Join(dir, vocabFile), []byte(words), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, weightsFile), []byte("\xff\xff\xff\xff\xff\xff\xff\xff"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "its header has") {
		t.Error(err)
	}
}

// FuzzOpen: any two files give a model whose vectors have its dimensions, or an error.
func FuzzOpen(f *testing.F) {
	f.Add(`{"model":{"type":"WordPiece","vocab":{"a":0,"##b":1}}}`, `{"embeddings":{"dtype":"F16","shape":[2,1],"data_offsets":[0,4]}}`, []byte("1234"), "ab b a")
	f.Add(`{"model":{"type":"WordPiece","vocab":{"é":-1}}}`, `{"embeddings":{"dtype":"F32","shape":[1,1],"data_offsets":[0,4]},"mapping":{"dtype":"I32","shape":[1],"data_offsets":[0,4]}}`, []byte("1234"), "É")
	f.Fuzz(func(t *testing.T, words, header string, body []byte, text string) {
		dir := t.TempDir()
		statictest.Write(t, dir, words, header, body)
		m, err := Open(dir)
		if err != nil {
			return
		}
		defer m.file.Close()
		defer func() { opened.key = "" }()
		if v := m.Vector(text); v != nil && len(v) != m.rows.dims {
			t.Fatalf("%d of %d dimensions", len(v), m.rows.dims)
		}
	})
}
