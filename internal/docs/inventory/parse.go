package inventory

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"hash/maphash"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

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

const blockSize = 1 << 20

// Parse reads an inventory of version 1 or 2. It accepts a byte order mark, CRLF in the header, an
// empty version, bytes after the compressed part, a gzip file around everything, and invalid UTF-8,
// which becomes U+FFFD. A truncated or damaged inventory is an error, never a shorter inventory.
// Errors are Broken faults with one of the causes above; Parse returns an error of r unchanged.
func Parse(r io.Reader) (*Inventory, error) {
	raw := &limited{r: r, left: MaxFile}
	in := bufio.NewReaderSize(raw, 64<<10)
	v, err := parse(in)
	if raw.err != nil {
		return nil, raw.err
	}
	return v, err
}

func parse(in *bufio.Reader) (*Inventory, error) {
	if magic, _ := in.Peek(2); bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, corrupt("the gzip file around it is damaged: %v", err)
		}
		in = bufio.NewReaderSize(&limited{r: z, left: MaxText}, 64<<10)
	}
	first, err := header(in)
	if err != nil {
		return nil, err
	}
	first = strings.TrimPrefix(first, "\ufeff")
	version, ok := strings.CutPrefix(first, "# Sphinx inventory version ")
	if !ok {
		return nil, notInventory(first, in)
	}
	v := &Inventory{}
	switch version = strings.TrimSpace(version); version {
	case "1", "2":
		v.Format = int(version[0] - '0')
	default:
		if len(version) > 10 {
			version = version[:10] + "…"
		}
		return nil, wrong(ErrVersion, "the inventory is of version %q, only 1 and 2 are known", version).
			With("build the documentation with a current Sphinx")
	}
	for _, f := range []struct {
		key string
		dst *string
	}{{"# Project:", &v.Project}, {"# Version:", &v.Version}} {
		line, err := header(in)
		if err != nil {
			return nil, err
		}
		value, ok := strings.CutPrefix(line, f.key)
		if !ok {
			return nil, corrupt("its header has another line where %q is expected", f.key)
		}
		*f.dst = strings.TrimSpace(strings.ToValidUTF8(value, "\uFFFD"))
	}
	b := builder{v: v}
	if v.Format == 1 {
		return v, b.lines(in, b.first)
	}
	line, err := header(in)
	if err != nil {
		return nil, err
	}
	if !strings.Contains(line, "zlib") {
		return nil, corrupt("the fourth line of its header does not name zlib")
	}
	z, err := zlib.NewReader(in)
	if err != nil {
		return nil, corrupt("%v", err)
	}
	return v, b.lines(z, b.second)
}

// header reads one line of the header.
func header(in *bufio.Reader) (string, error) {
	line, err := in.ReadSlice('\n')
	switch {
	case err == nil:
	case errors.Is(err, ErrTooLarge):
		return "", err
	case errors.Is(err, io.EOF):
		if len(line) == 0 {
			return "", wrong(ErrNotInventory, "it ends before an inventory's header does").
				With("build the documentation again, or name another source")
		}
	case errors.Is(err, bufio.ErrBufferFull):
		return "", wrong(ErrNotInventory, "its first lines are too long for an inventory's header").
			With("name an objects.inv or the folder that holds one")
	default:
		return "", corrupt("%v", err)
	}
	return strings.TrimRight(string(line), "\r\n"), nil
}

func notInventory(first string, in *bufio.Reader) error {
	more, _ := in.Peek(512)
	text := strings.ToLower(strings.TrimSpace(first + "\n" + string(more)))
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
	f := fault.New(fault.Broken, format, args...)
	f.Cause = cause
	return f
}

// limited is a reader that fails with ErrTooLarge after a number of bytes. It keeps the first error
// of r except io.EOF.
type limited struct {
	r    io.Reader
	left int64
	err  error
}

func (l *limited) Read(p []byte) (int, error) {
	if l.left < 0 {
		return 0, tooLarge()
	}
	n, err := l.r.Read(p[:min(int64(len(p)), l.left+1)])
	if l.left -= int64(n); l.left < 0 {
		return 0, tooLarge()
	}
	if err != nil && err != io.EOF && l.err == nil {
		l.err = err
	}
	return n, err
}

func tooLarge() error {
	return wrong(ErrTooLarge, "the inventory is too large: at most %d MiB, %d MiB once inflated, are read", MaxFile>>20, MaxText>>20).
		With("name a part of the documentation")
}

// builder adds objects to an inventory.
type builder struct {
	v     *Inventory
	kinds map[Kind]uint32
	seed  maphash.Seed
	seen  []uint32 // hash table of 1 + index into entries, open addressing; a power of two
}

// lines reads the entries from r to its end.
func (b *builder) lines(r io.Reader, parse func(line string) bool) error {
	buf := make([]byte, 0, blockSize+MaxLine+2)
	total, count := 0, 0
	for end := false; !end; {
		var err error
		for most := min(cap(buf), len(buf)+blockSize); len(buf) < most && err == nil; {
			var n int
			n, err = r.Read(buf[len(buf):most])
			buf = buf[:len(buf)+n]
			total += n
		}
		switch {
		case total > MaxText || errors.Is(err, ErrTooLarge):
			return tooLarge()
		case err == io.EOF:
			end = true
		case err != nil:
			return corrupt("%v", err)
		}
		upto := len(buf)
		if !end {
			upto = bytes.LastIndexByte(buf, '\n') + 1
		}
		for rest := strings.ToValidUTF8(string(buf[:upto]), "\uFFFD"); rest != ""; {
			var line string
			line, rest, _ = strings.Cut(rest, "\n")
			line = strings.TrimSuffix(line, "\r")
			if count++; count > MaxLines {
				return wrong(ErrTooLarge, "the inventory has more than %d lines", MaxLines).With("name a part of the documentation")
			}
			if len(line) > MaxLine {
				return longLine()
			}
			if strings.TrimSpace(line) != "" && !parse(line) {
				b.v.Skipped++
			}
		}
		buf = buf[:copy(buf, buf[upto:])]
		if len(buf) > MaxLine {
			return longLine()
		}
	}
	return nil
}

func longLine() error {
	return wrong(ErrTooLarge, "a line of the inventory is longer than %d bytes", MaxLine).With("build or fetch the documentation again")
}

// second parses a line of version 2: NAME DOMAIN:ROLE PRIORITY URI DISPLAY. Names may contain blanks,
// colons and numbers: the name is the shortest prefix after which the rest has that form.
func (b *builder) second(line string) bool {
	for at := 0; ; at++ {
		i := strings.IndexByte(line[at:], ' ')
		if i < 0 {
			return false
		}
		at += i
		kind, rest, ok := strings.Cut(line[at+1:], " ")
		domain, role, hasColon := strings.Cut(kind, ":")
		if !ok || !hasColon || domain == "" || role == "" {
			continue
		}
		number, rest, ok := strings.Cut(rest, " ")
		priority, err := strconv.ParseInt(number, 10, 32)
		if !ok || err != nil {
			continue
		}
		name := strings.TrimRight(line[:at], " \t")
		if name == "" {
			continue
		}
		uri, display, _ := strings.Cut(rest, " ")
		e := entry{
			line: line, nameEnd: uint16(len(name)), uri: uint16(len(line) - len(rest)),
			kind: b.kind(Kind{domain, role}), priority: int32(priority),
		}
		e.uriEnd = e.uri + uint16(len(uri))
		if display = strings.Trim(display, " \t"); display == "-" || display == name {
			display = ""
		}
		e.line = line[:max(int(e.uriEnd), len(strings.TrimRight(line, " \t")))]
		e.disp = uint16(len(e.line) - len(display))
		b.put(e)
		return true
	}
}

// first parses a line of version 1: NAME TYPE URI.
func (b *builder) first(line string) bool {
	f := strings.Fields(line)
	if len(f) != 3 {
		return false
	}
	if f[1] == "mod" {
		f[1], f[2] = "module", f[2]+"#module-"+f[0]
	} else {
		f[2] += "#" + f[0]
	}
	if len(f[0])+len(f[2]) > MaxLine {
		return false
	}
	b.add(Object{Name: f[0], Domain: "py", Role: f[1], Priority: 1, URI: f[2]})
	return true
}

// add adds an object from another source than a line; it counts one that is too long for a line as skipped.
func (b *builder) add(o Object) {
	if o.Display == o.Name {
		o.Display = ""
	}
	line := o.Name + o.URI + o.Display
	if len(line) > MaxLine || len(b.v.entries) >= MaxLines || !utf8.ValidString(line) {
		b.v.Skipped++
		return
	}
	b.put(entry{
		line: line, nameEnd: uint16(len(o.Name)), uri: uint16(len(o.Name)), uriEnd: uint16(len(o.Name) + len(o.URI)),
		disp: uint16(len(line) - len(o.Display)), kind: b.kind(Kind{o.Domain, o.Role}), priority: int32(o.Priority),
	})
}

func (b *builder) kind(k Kind) uint32 {
	n, ok := b.kinds[k]
	if !ok {
		if b.kinds == nil {
			b.kinds = map[Kind]uint32{}
		}
		n = uint32(len(b.v.kinds))
		b.kinds[k] = n
		b.v.kinds = append(b.v.kinds, k)
	}
	return n
}

// put adds e unless an earlier entry has the same kind, name and address.
func (b *builder) put(e entry) {
	if 2*len(b.v.entries) >= len(b.seen) {
		b.grow()
	}
	at := b.hash(&e)
	for ; b.seen[at] != 0; at = (at + 1) & (len(b.seen) - 1) {
		if same(&e, &b.v.entries[b.seen[at]-1]) {
			return
		}
	}
	b.v.entries = append(b.v.entries, e)
	b.seen[at] = uint32(len(b.v.entries))
}

func (b *builder) grow() {
	if len(b.seen) == 0 {
		b.seed = maphash.MakeSeed()
	}
	b.seen = make([]uint32, max(1024, 2*len(b.seen)))
	for i := range b.v.entries {
		at := b.hash(&b.v.entries[i])
		for b.seen[at] != 0 {
			at = (at + 1) & (len(b.seen) - 1)
		}
		b.seen[at] = uint32(i + 1)
	}
}

func (b *builder) hash(e *entry) int {
	return int((maphash.String(b.seed, e.name()) + uint64(e.kind)*0x9E3779B97F4A7C15) & uint64(len(b.seen)-1))
}

func same(a, b *entry) bool {
	if a.kind != b.kind || a.name() != b.name() {
		return false
	}
	x, named := a.stem()
	y, too := b.stem()
	if named == too {
		return x == y
	}
	return a.address() == b.address()
}
