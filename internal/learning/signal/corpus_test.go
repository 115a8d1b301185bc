package signal

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	_ "sdd/internal/longtest"
)

// sample is a labelled text of testdata/signals/cases.jsonl.
type sample struct {
	Part   string `json:"part"` // tuned, or held: written before the scanner and not looked at since
	Name   string `json:"name"`
	Text   string `json:"text"`
	Base64 []byte `json:"base64"` // instead of text, for bytes that are no UTF-8
	Max    int    `json:"max"`

	Signals []struct {
		Name    string `json:"name"`
		Content string `json:"content"`
		Line    int    `json:"line"`
	} `json:"signals"`
	Warnings []struct {
		Code string `json:"code"`
		Line int    `json:"line"`
	} `json:"warnings"`
}

func (s sample) bytes() []byte {
	if s.Base64 != nil {
		return s.Base64
	}
	return []byte(s.Text)
}

func samples(t testing.TB) (out []sample) {
	t.Helper()
	data, err := os.ReadFile("testdata/signals/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(data) {
		var s sample
		if err := json.Unmarshal(line, &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, s)
	}
	return out
}

// result is what a scan gave, without the texts of warnings.
type result struct {
	signals  []Signal
	warnings []Warning
}

func scan(t testing.TB, r io.Reader, max int) (out result) {
	t.Helper()
	warnings, err := Scan(r, max, func(s Signal) error {
		out.signals = append(out.signals, s)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	out.warnings = warnings
	return out
}

func (r result) equal(o result) bool {
	return slices.Equal(r.signals, o.signals) && slices.Equal(r.warnings, o.warnings)
}

func TestCorpus(t *testing.T) {
	type tally struct{ cases, right, labelled, found, false_ int }
	parts := map[string]*tally{"tuned": {}, "held": {}}
	for _, s := range samples(t) {
		p := parts[s.Part]
		if p == nil {
			t.Fatalf("%s: part %q is neither tuned nor held", s.Name, s.Part)
		}
		got := scan(t, bytes.NewReader(s.bytes()), s.Max)
		p.cases++
		p.labelled += len(s.Signals)
		right := len(got.signals) == len(s.Signals) && len(got.warnings) == len(s.Warnings)
		for _, g := range got.signals {
			want := slices.IndexFunc(s.Signals, func(w struct {
				Name    string `json:"name"`
				Content string `json:"content"`
				Line    int    `json:"line"`
			}) bool {
				return w.Name == g.Name && w.Content == g.Content && w.Line == g.Line && g.Global == strings.HasSuffix(w.Name, "GLOBAL")
			})
			if want < 0 {
				p.false_++
				right = false
				continue
			}
			s.Signals = slices.Delete(s.Signals, want, want+1)
			p.found++
		}
		for i, w := range got.warnings {
			right = right && w.Code == s.Warnings[i].Code && w.Line == s.Warnings[i].Line && w.Text != ""
		}
		if right {
			p.right++
		} else {
			t.Errorf("%s %q:\n%q\nsignals  %+v\nmissed   %+v\nwarnings %+v\nwant     %+v", s.Part, s.Name, s.bytes(), got.signals, s.Signals, got.warnings, s.Warnings)
		}
	}
	for _, name := range []string{"tuned", "held"} {
		p := parts[name]
		t.Logf("%-5s %3d cases, %3d as labelled; %3d signals, %3d found, %d false", name, p.cases, p.right, p.labelled, p.found, p.false_)
	}
	if all := parts["tuned"].cases + parts["held"].cases; all < 200 || 3*parts["held"].cases < all {
		t.Errorf("%d cases, %d of them held: want 200, and a third held", all, parts["held"].cases)
	}
}

// TestReadsDoNotMatter reads the corpus in pieces of every kind, also as one long text in which the borders of
// the view fall anywhere.
func TestReadsDoNotMatter(t *testing.T) {
	var all bytes.Buffer
	for _, s := range samples(t) {
		want := scan(t, bytes.NewReader(s.bytes()), s.Max)
		for name, r := range map[string]io.Reader{
			"a byte at a time":    iotest.OneByteReader(bytes.NewReader(s.bytes())),
			"halves":              iotest.HalfReader(bytes.NewReader(s.bytes())),
			"the end with data":   iotest.DataErrReader(bytes.NewReader(s.bytes())),
			"a small bufio":       bufio.NewReaderSize(bytes.NewReader(s.bytes()), 16),
			"seven at a time":     pieces(s.bytes(), 7),
			"thousands at a time": pieces(s.bytes(), 4093),
		} {
			if got := scan(t, r, s.Max); !got.equal(want) {
				t.Errorf("%q, %s: got %+v, want %+v", s.Name, name, got, want)
			}
		}
		if s.Max == 0 && len(s.Warnings) == 0 {
			all.Write(s.bytes())
			all.WriteString("\n\n")
		}
	}
	long := bytes.Repeat(all.Bytes(), 1+(1<<20)/all.Len())
	want := scan(t, bytes.NewReader(long), 4096)
	for _, n := range []int{13, 997, 65536} {
		if got := scan(t, pieces(long, n), 4096); !got.equal(want) {
			t.Errorf("%d bytes at a time: %d signals and %d warnings, want %d and %d", n, len(got.signals), len(got.warnings), len(want.signals), len(want.warnings))
		}
	}
}

type piecewise struct {
	data []byte
	n    int
}

func pieces(data []byte, n int) io.Reader { return &piecewise{data, n} }

func (p *piecewise) Read(b []byte) (int, error) {
	if len(p.data) == 0 {
		return 0, io.EOF
	}
	n := copy(b, p.data[:min(p.n, len(p.data))])
	p.data = p.data[n:]
	return n, nil
}

func TestErrorsEndTheScan(t *testing.T) {
	stop := errors.New("enough")
	n := 0
	warnings, err := Scan(strings.NewReader("<swarm>DONE</swarm>\n<swarm>LEARNING_LOCAL:a</swarm><swarm>LEARNING_LOCAL:b</swarm>"), 0, func(Signal) error {
		n++
		return stop
	})
	if !errors.Is(err, stop) || n != 1 || len(warnings) != 1 {
		t.Errorf("got %v after %d signals with %v, want the callback's error after 1", err, n, warnings)
	}
	if _, err := Scan(iotest.ErrReader(stop), 0, nil); err == nil || !strings.Contains(err.Error(), "enough") {
		t.Errorf("got %v, want the reader's error", err)
	}
}
