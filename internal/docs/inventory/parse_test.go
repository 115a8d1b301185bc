package inventory

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"sdd/internal/fault"
	_ "sdd/internal/longtest"
)

const head = "# Sphinx inventory version 2\n# Project: Demo\n# Version: 1.2\n# The remainder of this file is compressed using zlib.\n"

func deflate(text string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func zip(text string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	w.Close()
	return b.String()
}

func objects(v *Inventory) []Object {
	out := []Object{}
	for i := range len(v.Objects) {
		out = append(out, v.Objects[i])
	}
	return out
}

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		line string
		want Object
	}{
		{"a.b py:function 1 x.html#$ -", Object{"a.b", "py", "function", 1, "x.html#a.b", ""}},
		{"a.b py:function 1 x.html#$ A b", Object{"a.b", "py", "function", 1, "x.html#a.b", "A b"}},
		{"raising a 404 error std:label -1 v.html#id1 Raising a 404 error", Object{"raising a 404 error", "std", "label", -1, "v.html#id1", "Raising a 404 error"}},
		{"Visual Studio 9 2008 cmake:generator 1 generator/$.html -", Object{"Visual Studio 9 2008", "cmake", "generator", 1, "generator/$.html", ""}},
		{"std::vector<int> cpp:class 0 v.html#_CPPv4 -", Object{"std::vector<int>", "cpp", "class", 0, "v.html#_CPPv4", ""}},
		{"index std:doc -1  Welcome", Object{"index", "std", "doc", -1, "", "Welcome"}},
		{"index std:doc -1  ", Object{"index", "std", "doc", -1, "", ""}},
		{"index std:doc -1 ", Object{"index", "std", "doc", -1, "", ""}},
		{"a b  c std:term -1 g.html#term-a x  y ", Object{"a b  c", "std", "term", -1, "g.html#term-a", "x  y"}},
		{"toctree:maxdepth rst:directive:option 1 d.html#$ -", Object{"toctree:maxdepth", "rst", "directive:option", 1, "d.html#toctree:maxdepth", ""}},
		{"f c:function 1 index.html#document-api#c.f -", Object{"f", "c", "function", 1, "index.html#document-api#c.f", ""}},
		{"Pandas Indexing std:doc -1 user%20guide.html x", Object{"Pandas Indexing", "std", "doc", -1, "user%20guide.html", "x"}},
		{"$ std:cmdoption 1 a.html#$ -", Object{"$", "std", "cmdoption", 1, "a.html#$", ""}},
		{"#define c:macro 1 a.html#$ -", Object{"#define", "c", "macro", 1, "a.html##define", ""}},
		{"no.display py:data 1 a.html", Object{"no.display", "py", "data", 1, "a.html", ""}},
		{"名前 std:label -1 a.html#id2 日本 語", Object{"名前", "std", "label", -1, "a.html#id2", "日本 語"}},
		{"bad\xff py:data 1 a.html -", Object{"bad\uFFFD", "py", "data", 1, "a.html", ""}},
		{"same py:data 1 a.html same", Object{"same", "py", "data", 1, "a.html", ""}},
	} {
		for _, end := range []string{"", "\n", "\r\n"} {
			v, err := Parse([]byte(head + deflate(tt.line+end)))
			if err != nil {
				t.Fatalf("%q: %v", tt.line, err)
			}
			if diff := cmp.Diff([]Object{tt.want}, objects(v)); diff != "" || v.Skipped != 0 {
				t.Errorf("%q: %d skipped (-want +got)\n%s", tt.line, v.Skipped, diff)
			}
		}
	}
}

func TestSkipped(t *testing.T) {
	lines := []string{"", "  ", "one", "one two", "a py:function x.html -", "a py:function one x.html -", "a function 1 x.html -",
		" py:function 1 x.html -", "a :role 1 x -", "a py: 1 x -", "a py:function 99999999999 x -", "a py:function 1"}
	v, err := Parse([]byte(head + deflate(strings.Join(lines, "\n"))))
	if err != nil || len(v.Objects) != 0 || v.Skipped != len(lines)-2 {
		t.Errorf("%v: %d objects, %d skipped: %v", err, len(v.Objects), v.Skipped, objects(v))
	}
}

func TestDuplicates(t *testing.T) {
	text := "a py:data 1 x.html#$ -\na py:data 0 x.html#a A\na py:data 1 y.html#$ -\na py:attribute 1 x.html#$ -\na py:data 1 x.html#$ -\n"
	v, err := Parse([]byte(head + deflate(text)))
	want := []Object{{"a", "py", "data", 1, "x.html#a", ""}, {"a", "py", "data", 1, "y.html#a", ""}, {"a", "py", "attribute", 1, "x.html#a", ""}}
	if diff := cmp.Diff(want, objects(v)); err != nil || diff != "" {
		t.Errorf("%v\n%s", err, diff)
	}
	// The table grows many times.
	var b strings.Builder
	for i := range 30_000 {
		fmt.Fprintf(&b, "n%d py:data 1 x.html#$ -\n", i%10_000)
	}
	if v, err = Parse([]byte(head + deflate(b.String()))); err != nil || len(v.Objects) != 10_000 || v.Objects[9_999].Name != "n9999" {
		t.Errorf("%v: %d objects", err, len(v.Objects))
	}
}

func TestForms(t *testing.T) {
	const text = "a py:data 1 x.html#$ -\n"
	want := []Object{{"a", "py", "data", 1, "x.html#a", ""}}
	v1 := "# Sphinx inventory version 1\n# Project: Demo\n# Version: 1.2\n"
	for name, src := range map[string]string{
		"plain":             head + deflate(text),
		"BOM":               "\ufeff" + head + deflate(text),
		"CRLF":              strings.ReplaceAll(head, "\n", "\r\n") + deflate(text),
		"bytes after it":    head + deflate(text) + "\n<!-- cached -->",
		"gzip":              zip(head + deflate(text)),
		"no final newline":  head + deflate(strings.TrimSpace(text)),
		"CRLF in the lines": head + deflate(strings.ReplaceAll(text, "\n", "\r\n")),
		"another sentence":  strings.Replace(head, "remainder of this file is compressed using", "rest is", 1) + deflate(text),
	} {
		v, err := Parse([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(want, objects(v)); diff != "" || v.Project != "Demo" || v.Version != "1.2" || v.Format != 2 {
			t.Errorf("%s: %q %q\n%s", name, v.Project, v.Version, diff)
		}
	}
	v, err := Parse([]byte("# Sphinx inventory version 2\n# Project: \xffé\n# Version: \n# zlib\n" + deflate("")))
	if err != nil || v.Project != "\uFFFDé" || v.Version != "" || len(v.Objects) != 0 {
		t.Errorf("empty: %v %+v", err, v)
	}
	for name, src := range map[string]string{"v1": v1 + "m mod m.html\nm.f function m.html\nodd line with five words\n", "v1 in gzip": zip(v1 + "m mod m.html\r\nm.f function m.html\r\nodd")} {
		v, err := Parse([]byte(src))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		want := []Object{{"m", "py", "module", 1, "m.html#module-m", ""}, {"m.f", "py", "function", 1, "m.html#m.f", ""}}
		if diff := cmp.Diff(want, objects(v)); diff != "" || v.Format != 1 || v.Skipped != 1 {
			t.Errorf("%s: %+v\n%s", name, v, diff)
		}
	}
}

func TestBroken(t *testing.T) {
	good := head + deflate(strings.Repeat("a py:data 1 x.html#$ -\nb py:data 1 x.html#$ -\n", 500))
	badSum := []byte(good)
	badSum[len(badSum)-1] ^= 1
	flipped := []byte(head + deflate(random(4000)))
	flipped[len(head)+40] ^= 0x55
	bomb, zeros := endless(strings.Repeat("x py:data 1 a -\n", 1<<16)), endless(string(make([]byte, 1<<20)))
	for _, tt := range []struct {
		name, src string
		cause     error
		message   string
	}{
		{"empty", "", ErrNotInventory, "ends before"},
		{"only a line", "# Sphinx inventory version 2\n", ErrNotInventory, "ends before"},
		{"no body", head, ErrCorrupt, "EOF"},
		{"cut in the stream", good[:len(good)-20], ErrCorrupt, "unexpected EOF"},
		{"cut in the checksum", good[:len(good)-2], ErrCorrupt, "unexpected EOF"},
		{"bad checksum", string(badSum), ErrCorrupt, "checksum"},
		{"damaged", string(flipped), ErrCorrupt, "corrupt"},
		{"not compressed", head + "a py:data 1 x.html#$ -\n", ErrCorrupt, "header"},
		{"version 3", strings.Replace(good, "version 2", "version 3", 1), ErrVersion, `version "3"`},
		{"no version", strings.Replace(good, "version 2", "version ", 1), ErrVersion, `version ""`},
		{"no project", "# Sphinx inventory version 2\n# Version: 1\n# Version: 1\n# zlib\n", ErrCorrupt, "# Project:"},
		{"no zlib", strings.Replace(good, "zlib", "brotli", 1), ErrCorrupt, "does not name zlib"},
		{"HTML", "<!DOCTYPE html>\n<html><head><title>404</title>", ErrNotInventory, "page of HTML"},
		{"HTML after blank lines", "\n\n  <html lang=en>", ErrNotInventory, "page of HTML"},
		{"text", "hello\n", ErrNotInventory, "does not begin with"},
		{"binary", strings.Repeat("\x00\xff", 40_000), ErrNotInventory, "too long"},
		{"JSON", `{"a": 1}`, ErrNotInventory, "does not begin with"},
		{"cut gzip", zip(good)[:60], ErrCorrupt, ""},
		{"cut gzip of version 1", cutZip(), ErrCorrupt, ""},
		{"gzip in gzip", zip(zip(good)), ErrNotInventory, ""},
		{"bomb of lines", bomb, ErrTooLarge, ""},
		{"bomb of zeros", zeros, ErrTooLarge, ""},
		{"bomb of gzip", zip(zeros), ErrTooLarge, ""},
		{"endless line", head + deflate(strings.Repeat("x", MaxLine+1)), ErrTooLarge, "longer than"},
		{"endless last line", head + deflate("a py:data 1 x -\n"+strings.Repeat("x ", 1<<21)), ErrTooLarge, "longer than"},
		{"too many lines", head + deflate(strings.Repeat("\n", MaxLines+1)), ErrTooLarge, "lines"},
		{"too long a file", head + strings.Repeat("\x00", 100) + deflate(""), ErrCorrupt, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v, err := Parse([]byte(tt.src))
			f := fault.Of(err)
			if v != nil && err == nil || !errors.Is(err, tt.cause) || f.Code != fault.Broken || f.Hint == "" || !strings.Contains(f.Message, tt.message) {
				t.Errorf("%#v", f)
			}
		})
	}
	endless := make([]byte, MaxFile+1)
	if v, err := Parse(append([]byte(head+deflate("")[:2]), endless...)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an endless file: %v %v", v, err)
	}
	old := "# Sphinx inventory version 1\n# Project: x\n# Version: 1\n" + strings.Repeat("a function b.html\n", MaxLines+1)
	if v, err := Parse([]byte(old)); !errors.Is(err, ErrTooLarge) {
		t.Errorf("an endless inventory of version 1: %v %v", v, err)
	}
}

// endless is an inventory whose text is a piece of 1 MiB again and again, 140 times: a piece of a compressed stream that ends at a
// byte can be repeated.
func endless(piece string) string {
	var b bytes.Buffer
	w := zlib.NewWriter(&b)
	w.Flush()
	start := b.Len()
	io.WriteString(w, piece)
	w.Flush()
	stream := b.String()
	return head + stream[:start] + strings.Repeat(stream[start:], 140)
}

func cutZip() string {
	z := zip("# Sphinx inventory version 1\n# Project: x\n# Version: 1\n" + random(50_000))
	return z[:len(z)/2]
}

// random is text that does not compress well.
func random(n int) string {
	r := rand.New(rand.NewSource(1))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + r.Intn(26))
		if i%30 == 29 {
			b[i] = '\n'
		}
	}
	return string(b)
}

// TestMemory reads the largest inventory that the limits allow.
func TestMemory(t *testing.T) {
	lines, most := MaxLines, int64(250)
	if raceDetector {
		lines, most = MaxLines/20, 250/20
	}
	pad := " py:data 1 " + strings.Repeat("p", 100) + " -\n"
	var text []byte
	for i := range lines {
		text = append(strconv.AppendInt(append(text, 'n'), int64(i), 10), pad...)
	}
	src := head + deflate(string(text))
	text = nil
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	v, err := Parse([]byte(src))
	if err != nil {
		t.Fatal(err)
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if held := int64(after.HeapAlloc-before.HeapAlloc) >> 20; len(v.Objects) != lines || held > most {
		t.Errorf("%d objects hold %d MiB", len(v.Objects), held)
	}
}

// TestAgainstRegexp reads every inventory of this machine with a regular expression, too.
func TestAgainstRegexp(t *testing.T) {
	var files []string
	for _, p := range []string{"/usr/share/doc/*/html*/objects.inv", "/usr/share/doc/*/html/*/objects.inv"} {
		more, _ := filepath.Glob(p)
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("no objects.inv under /usr/share/doc: apt-get install python3-doc python-django-doc cmake-doc")
	}
	seen := map[string]bool{} // by what links mean
	files = slices.DeleteFunc(files, func(f string) bool {
		real, err := filepath.EvalSymlinks(f)
		st, statErr := os.Stat(f)
		again := err != nil || statErr != nil || seen[real] || raceDetector && st.Size() > 8<<10
		seen[real] = true
		return again
	})
	re := regexp.MustCompile(`^(.+?) ([^ :]+):(\S+) (-?\d+) (\S*) (.*)$`)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := Parse(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		z, err := zlib.NewReader(bytes.NewReader(bytes.SplitN(data, []byte("\n"), 5)[4]))
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		want, seen := []Object{}, map[string]bool{}
		for line := range strings.SplitSeq(strings.TrimRight(string(text), "\n"), "\n") {
			m := re.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %q", file, line)
				continue
			}
			o := Object{Name: m[1], Domain: m[2], Role: m[3], URI: m[5], Display: m[6]}
			o.Priority, _ = strconv.Atoi(m[4])
			if strings.HasSuffix(o.URI, "$") {
				o.URI = o.URI[:len(o.URI)-1] + o.Name
			}
			if o.Display == "-" || o.Display == o.Name {
				o.Display = ""
			}
			if key := fmt.Sprint(o.Name, "\n", o.Domain, "\n", o.Role, "\n", o.URI); !seen[key] {
				seen[key] = true
				want = append(want, o)
			}
		}
		if diff := cmp.Diff(want, objects(v)); diff != "" || v.Skipped != 0 {
			t.Errorf("%s: %d skipped (-want +got)\n%s", file, v.Skipped, diff)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("a py:data 1 x.html#$ -\nindex std:doc -1  Welcome\n")
	f.Add("a b c:d 1 e f 2 g\r\n\n\xff:x y:z 1")
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse([]byte(head + deflate(text)))
		if err != nil {
			return
		}
		// What was read can be written and read again.
		var b strings.Builder
		for _, o := range objects(v) {
			display := o.Display
			if display == "" {
				display = "-"
			}
			fmt.Fprintf(&b, "%s %s:%s %d %s %s\n", o.Name, o.Domain, o.Role, o.Priority, o.URI, display)
		}
		again, err := Parse([]byte(head + deflate(b.String())))
		if err != nil || again.Skipped != 0 {
			t.Fatalf("%v: %q became %q", err, text, b.String())
		}
	})
}

func BenchmarkParse(b *testing.B) {
	data, err := os.ReadFile("/usr/share/doc/python3.11/html/objects.inv")
	if err != nil {
		b.Skip("python3-doc is not installed")
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Parse(data); err != nil {
			b.Fatal(err)
		}
	}
}
