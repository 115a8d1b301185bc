package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"strconv"
	"strings"

	"sdd/internal/fault"
)

// Limits of an inventory. Parse stops at a limit, so a compression bomb costs no more.
const (
	MaxFile  = 32 << 20  // bytes of the file
	MaxText  = 128 << 20 // bytes after decompression
	MaxLines = 1_000_000
	MaxLine  = 64<<10 - 1 // bytes of a line
)

// The causes of Parse's faults.
var (
	ErrNotInventory = errors.New("not an inventory")
	ErrVersion      = errors.New("unknown version")
	ErrCorrupt      = errors.New("corrupt")
	ErrTooLarge     = errors.New("too large")
)

// Parse reads an inventory of version 1 or 2. It accepts a byte order mark, CRLF in the header, an
// empty version, bytes after the compressed part, a gzip file around everything, and invalid UTF-8,
// which becomes U+FFFD. A truncated or damaged inventory is an error, never a shorter inventory.
// Errors are Broken faults with one of the causes above.
func Parse(src []byte) (*Inventory, error) {
	if len(src) > MaxFile {
		return nil, tooLarge()
	}
	if bytes.HasPrefix(src, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(src))
		if err == nil {
			src, err = io.ReadAll(&limited{z, MaxText})
		}
		if errors.Is(err, ErrTooLarge) {
			return nil, err
		} else if err != nil {
			return nil, corrupt("the gzip file around it is damaged: %v", err)
		}
	}
	v := &Inventory{}
	for n, want := range []string{"# Sphinx inventory version ", "# Project:", "# Version:", ""} {
		if n == 3 && v.Format == 1 {
			return v, newBuilder(v).lines(bytes.NewReader(src), first)
		}
		line, rest, _ := bytes.Cut(src, []byte("\n"))
		if len(src) == 0 {
			return nil, wrong(ErrNotInventory, "it ends before an inventory's header does").
				With("build the documentation again, or name another source")
		} else if len(line) > MaxLine {
			return nil, wrong(ErrNotInventory, "its first lines are too long for an inventory's header").
				With("name an objects.inv or the folder that holds one")
		}
		value, ok := strings.CutPrefix(strings.TrimPrefix(string(line), "\ufeff"), want)
		value = strings.TrimSpace(strings.ToValidUTF8(value, "\uFFFD"))
		switch {
		case !ok && n == 0:
			return nil, notInventory(src)
		case !ok:
			return nil, corrupt("its header has another line where %q is expected", want)
		case n == 0 && value != "1" && value != "2":
			return nil, wrong(ErrVersion, "the inventory is of version %q, only 1 and 2 are known", fault.Cut(value, 10)).
				With("build the documentation with a current Sphinx")
		case n == 0:
			v.Format = int(value[0] - '0')
		case n == 1:
			v.Project = value
		case n == 2:
			v.Version = value
		case !strings.Contains(value, "zlib"):
			return nil, corrupt("the fourth line of its header does not name zlib")
		}
		src = rest
	}
	z, err := zlib.NewReader(bytes.NewReader(src))
	if err != nil {
		return nil, corrupt("%v", err)
	}
	return v, newBuilder(v).lines(z, second)
}

func notInventory(src []byte) error {
	text := strings.ToLower(strings.TrimSpace(string(src[:min(len(src), 512)])))
	if strings.HasPrefix(text, "<!doctype html") || strings.HasPrefix(text, "<html") || strings.HasPrefix(text, "<?xml") ||
		strings.Contains(text, "<head") {
		return wrong(ErrNotInventory, "it is a page of HTML, not an inventory").
			With("name the objects.inv itself; servers answer missing files with a page, too")
	}
	// The message does not quote the file, whose text may be hostile.
	return wrong(ErrNotInventory, "it does not begin with \"# Sphinx inventory version\"").
		With("name an objects.inv or the folder that holds one")
}

func corrupt(format string, args ...any) *fault.Error {
	return wrong(ErrCorrupt, "the inventory is corrupt: "+format, args...).With("build or fetch the documentation again")
}

func wrong(cause error, format string, args ...any) *fault.Error {
	return fault.New(fault.Broken, format, args...).From(cause)
}

// limited is a reader that fails with ErrTooLarge after a number of bytes.
type limited struct {
	r    io.Reader
	left int
}

func (l *limited) Read(p []byte) (int, error) {
	n, err := l.r.Read(p[:min(len(p), l.left+1)])
	if l.left -= n; l.left < 0 {
		return 0, tooLarge()
	}
	return n, err
}

func tooLarge() error {
	return wrong(ErrTooLarge, "the inventory is too large: at most %d MiB, %d MiB once inflated, are read", MaxFile>>20, MaxText>>20).
		With("name a part of the documentation")
}

// lines adds the objects of the lines of r.
func (b *builder) lines(r io.Reader, parse func(line string) (Object, bool)) error {
	all := bufio.NewScanner(&limited{r, MaxText})
	all.Buffer(nil, MaxLine+len("\r\n"))
	for count := 1; all.Scan(); count++ {
		line := strings.ToValidUTF8(all.Text(), "\uFFFD")
		if count > MaxLines {
			return wrong(ErrTooLarge, "the inventory has more than %d lines", MaxLines).With("name a part of the documentation")
		} else if len(line) > MaxLine {
			return longLine()
		}
		if o, ok := parse(line); ok {
			b.add(o)
		} else if strings.TrimSpace(line) != "" {
			b.v.Skipped++
		}
	}
	switch err := all.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return longLine()
	case errors.Is(err, ErrTooLarge):
		return tooLarge()
	case err != nil:
		return corrupt("%v", err)
	}
	return nil
}

func longLine() error {
	return wrong(ErrTooLarge, "a line of the inventory is longer than %d bytes", MaxLine).With("build or fetch the documentation again")
}

// second parses "NAME DOMAIN:ROLE PRIORITY URI DISPLAY": a name, which may have blanks, is the shortest before a rest of that form.
func second(line string) (Object, bool) {
	for at := 0; ; at++ {
		i := strings.IndexByte(line[at:], ' ')
		if i < 0 {
			return Object{}, false
		}
		at += i
		kind, rest, _ := strings.Cut(line[at+1:], " ")
		domain, role, _ := strings.Cut(kind, ":")
		number, rest, ok := strings.Cut(rest, " ")
		name := strings.TrimRight(line[:at], " \t")
		if !ok || domain == "" || role == "" || name == "" {
			continue
		}
		priority, err := strconv.ParseInt(number, 10, 32)
		if err != nil {
			continue
		}
		uri, display, _ := strings.Cut(rest, " ")
		if display = strings.Trim(display, " \t"); display == "-" {
			display = ""
		}
		return Object{name, domain, role, int(priority), uri, display}, true
	}
}

// first parses a line of version 1: NAME TYPE URI.
func first(line string) (Object, bool) {
	f := strings.Fields(line)
	switch {
	case len(f) != 3:
		return Object{}, false
	case f[1] == "mod":
		return Object{f[0], "py", "module", 1, f[2] + "#module-" + f[0], ""}, true
	}
	return Object{f[0], "py", f[1], 1, f[2] + "#" + f[0], ""}, true
}
