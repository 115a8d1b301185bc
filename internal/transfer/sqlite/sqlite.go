// Package sqlite reads the rows of tables of an SQLite database (https://www.sqlite.org/fileformat2.html), without SQL: table b-trees with
// their overflow pages, and the committed frames of a write-ahead log. It writes nothing and takes no lock, so Close reports whether
// another program wrote meanwhile. modernc.org/sqlite would make the program 5 MB larger and every start 0.3 ms slower.
//
// The file is read whole. It may be hostile: every offset is checked, no table uses a page twice, so that no circle of pages and no shared
// chain can make it run or allocate beyond the size of the file, and a row is at most MaxRow bytes.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"strings"

	"golang.org/x/text/encoding/unicode"

	"sdd/internal/pattern"
)

// MaxRow is the largest row in bytes that is read.
const MaxRow = 64 << 20

const (
	headerSize   = 100
	logHeader    = 32
	frameHeader  = 24
	interiorPage = 0x05
	leafPage     = 0x0d
	maxDepth     = 40    // of a b-tree; a real one of 2^32 pages is less deep
	maxColumns   = 32767 // that a table can have
)

var be = binary.BigEndian

var (
	// ErrFormat means that a file is not a sound database.
	ErrFormat = errors.New("not a sound SQLite database")
	// ErrBusy means that another program is writing to the database, or was interrupted.
	ErrBusy = errors.New("the database is being written to")
)

// Is reports whether a file that begins with head is an SQLite database.
func Is(head []byte) bool { return bytes.HasPrefix(head, []byte("SQLite format 3\x00")) }

// DB is a database that is being read.
type DB struct {
	path      string
	data, log []byte // the file and its write-ahead log
	pageSize  int
	usable    int // bytes of a page that hold content
	encoding  uint32
	pages     uint32         // how many there are
	wal       map[uint32]int // offset of the page in the log, by number
	stamp     string         // of the state that was read
	tables    []Table
}

// Table is a table of the database.
type Table struct {
	Name    string
	Columns []string
	root    uint32
	rowid   int // the column that is another name of the row id, -1 for none
}

// Row is one row: a value is nil, int64 (also a whole number in a REAL column), float64, string or []byte. Columns that were added later
// than the row are nil, whatever their default.
type Row map[string]any

// Text returns a column as text; "" for nil and what is none.
func (r Row) Text(column string) string {
	if b, ok := r[column].([]byte); ok {
		return string(b)
	}
	s, _ := r[column].(string)
	return s
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// failure is an error that walk recovers.
type failure struct{ error }

// demand ends the walk when the database is not sound.
func demand(sound bool, format string, args ...any) {
	if !sound {
		panic(failure{bad(format, args...)})
	}
}

// Open reads the database at path and its schema. The error is about the file (fs.ErrNotExist and so on), or an ErrFormat or ErrBusy.
func Open(path string) (*DB, error) {
	db := &DB{path: path, stamp: stamps(path)}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if !Is(data) || len(data) < headerSize {
		return nil, bad("it has no header")
	}
	db.data = data
	if db.pageSize = int(be.Uint16(data[16:])); db.pageSize == 1 {
		db.pageSize = 1 << 16
	}
	db.usable, db.encoding = db.pageSize-int(data[20]), be.Uint32(data[56:])
	if db.pageSize < 512 || db.pageSize&(db.pageSize-1) != 0 || db.usable < 480 || db.encoding > 3 {
		return nil, bad("its header says pages of %d bytes, %d of use, encoding %d", db.pageSize, db.usable, db.encoding)
	}
	db.pages = uint32(min(len(data)/db.pageSize, math.MaxUint32-1))
	// A journal reverts a change that may be half in the file.
	if j, _ := os.ReadFile(path + "-journal"); bytes.HasPrefix(j, []byte("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7")) {
		return nil, fmt.Errorf("%w: it has a journal that was not rolled back", ErrBusy)
	}
	if data[18] == 2 || data[19] == 2 {
		db.readLog()
	}
	return db, db.walk(1, func(_ int64, payload []byte) error { // the table of tables
		v := db.values(payload)
		demand(len(v) >= 5, "its schema is none")
		if root, _ := v[3].(int64); v[0] == "table" && root >= 1 && root <= math.MaxUint32 { // a virtual table has no root
			sql, _ := v[4].(string)
			t := Table{root: uint32(root)}
			t.Name, _ = v[1].(string)
			t.Columns, t.rowid = columns(sql)
			db.tables = append(db.tables, t)
		}
		return nil
	})
}

// Close ends the reading. An ErrBusy means that the database changed meanwhile, and that the rows may be of two states.
func (db *DB) Close() error {
	if stamps(db.path) != db.stamp {
		return fmt.Errorf("%w: it changed while it was read", ErrBusy)
	}
	return nil
}

// stamps identifies the state of a database and its log.
func stamps(path string) (s string) {
	for _, name := range [...]string{path, path + "-wal"} {
		if st, err := os.Stat(name); err == nil {
			s += fmt.Sprintln(name, st.Size(), st.ModTime().UnixNano())
		}
	}
	return s
}

// readLog finds the newer pages in the write-ahead log, up to its last whole commit. Like SQLite, it stops where the log is not sound.
func (db *DB) readLog() {
	head, err := os.ReadFile(db.path + "-wal")
	if db.log = head; err != nil || len(head) < logHeader || be.Uint32(head)&^1 != 0x377f0682 || int(be.Uint32(head[8:])) != db.pageSize {
		return
	}
	order := binary.ByteOrder(binary.LittleEndian)
	if be.Uint32(head)&1 == 1 {
		order = be
	}
	var a, b uint32 // the checksum: two sums over pairs of words
	sound := func(want []byte, parts ...[]byte) bool {
		for _, p := range parts {
			for ; len(p) >= 8; p = p[8:] {
				a += order.Uint32(p) + b
				b += order.Uint32(p[4:]) + a
			}
		}
		return a == be.Uint32(want) && b == be.Uint32(want[4:])
	}
	if !sound(head[24:], head[:24]) {
		return
	}
	db.wal = map[uint32]int{}
	since := map[uint32]int{} // pages of the commit that is being read
	for at := logHeader; at+frameHeader+db.pageSize <= len(db.log); at += frameHeader + db.pageSize {
		frame := db.log[at : at+frameHeader+db.pageSize]
		page, commit := be.Uint32(frame), be.Uint32(frame[4:])
		if !sound(frame[16:], frame[:8], frame[frameHeader:]) || !bytes.Equal(frame[8:16], head[16:24]) || page == 0 {
			return
		}
		if since[page] = at + frameHeader; commit != 0 {
			maps.Copy(db.wal, since)
			clear(since)
			db.pages = commit
		}
	}
}

// walk calls row with the id and the payload of each row of the table b-tree whose root is that page.
func (db *DB) walk(root uint32, row func(id int64, payload []byte) error) (err error) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case failure:
			err = r.error
		default:
			panic(r)
		}
	}()
	(&walker{db: db, seen: map[uint32]bool{}, row: row}).tree(root, 0)
	return nil
}

// walker reads one b-tree. What is not sound, and an error of row, is a panic with a failure.
type walker struct {
	db   *DB
	seen map[uint32]bool
	row  func(id int64, payload []byte) error
}

// page returns the page of that number.
func (w *walker) page(n uint32) []byte {
	demand(!w.seen[n], "page %d is used twice", n)
	w.seen[n] = true
	demand(n != 0 && n <= w.db.pages, "there is no page %d", n)
	if at, ok := w.db.wal[n]; ok {
		return w.db.log[at : at+w.db.pageSize]
	}
	at := int(n-1) * w.db.pageSize
	demand(at+w.db.pageSize <= len(w.db.data), "it ends before page %d", n)
	return w.db.data[at : at+w.db.pageSize]
}

func (w *walker) tree(n uint32, depth int) {
	demand(depth <= maxDepth, "a table is more than %d pages deep", maxDepth)
	b, h := w.page(n), 0
	if n == 1 {
		h = headerSize
	}
	kind, cells, pointers := b[h], int(be.Uint16(b[h+3:])), h+8
	if kind == interiorPage {
		pointers = h + 12
	}
	demand(kind == interiorPage || kind == leafPage, "page %d is none of a table", n)
	demand(pointers+2*cells <= w.db.usable, "page %d has %d cells", n, cells)
	room := w.db.usable // what the cells may take together: none lies in another
	for i := range cells {
		at := int(be.Uint16(b[pointers+2*i:]))
		demand(at >= pointers+2*cells && at+4 <= w.db.usable, "a cell of page %d lies outside of it", n)
		if kind == interiorPage {
			w.tree(be.Uint32(b[at:]), depth+1)
			continue
		}
		room -= w.cell(b[at:w.db.usable])
		demand(room >= 0, "cells of page %d lie in each other", n)
	}
	if kind == interiorPage {
		w.tree(be.Uint32(b[h+8:]), depth+1)
	}
}

// cell reads a row of a leaf, and returns how many bytes of the page it takes.
func (w *walker) cell(b []byte) (used int) {
	size, n := varint(b)
	id, m := varint(b[n:])
	demand(n > 0 && m > 0 && size <= MaxRow, "a row has %d bytes", size)
	b = b[n+m:]
	total, usable := int(size), w.db.usable
	local := total
	if most := usable - 35; total > most {
		least := (usable-12)*32/255 - 23
		if local = least + (total-least)%(usable-4); local > most {
			local = least
		}
	}
	demand(local <= len(b) && (local == total || local+4 <= len(b)), "a row lies outside of its page")
	payload := b[:local:local]
	if used = n + m + local; local < total {
		used += 4
		for next := be.Uint32(b[local:]); len(payload) < total; {
			page := w.page(next)
			payload = append(payload, page[4:min(usable, 4+total-len(payload))]...)
			next = be.Uint32(page)
		}
	}
	if err := w.row(int64(id), payload); err != nil {
		panic(failure{err})
	}
	return used
}

// varint reads a number of 1 to 9 bytes; n is 0 where b ends before it.
func varint(b []byte) (v uint64, n int) {
	for n < 8 && n < len(b) {
		v = v<<7 | uint64(b[n]&0x7f)
		if n++; b[n-1] < 0x80 {
			return v, n
		}
	}
	if n == 8 && len(b) > 8 {
		return v<<8 | uint64(b[8]), 9
	}
	return 0, 0
}

// values reads the values of a row.
func (db *DB) values(payload []byte) (out []any) {
	size, n := varint(payload)
	demand(n > 0 && size >= uint64(n) && size <= uint64(len(payload)), "a row has a header of %d bytes", size)
	types, body := payload[n:size], payload[size:]
	for len(types) > 0 {
		t, n := varint(types)
		demand(n > 0 && len(out) < maxColumns, "the header of a row ends early or has too many values")
		types = types[n:]
		size := (max(t, 12) - 12) / 2
		if t <= 11 {
			size = [...]uint64{0, 1, 2, 3, 4, 6, 8, 8, 0, 0, math.MaxUint64, math.MaxUint64}[t]
		}
		demand(size <= uint64(len(body)), "a value of type %d lies outside of its row", t)
		out = append(out, db.value(t, body[:size]))
		body = body[size:]
	}
	return out
}

// value returns the value of serial type t that b holds.
func (db *DB) value(t uint64, b []byte) any {
	switch {
	case t == 0:
		return nil
	case t == 7:
		return math.Float64frombits(be.Uint64(b))
	case t < 7:
		n := int64(int8(b[0]))
		for _, c := range b[1:] {
			n = n<<8 | int64(c)
		}
		return n
	case t < 12:
		return int64(t - 8)
	case t%2 == 0:
		return bytes.Clone(b)
	case db.encoding > 1: // UTF-16; the decoder has no errors, but U+FFFD
		b, _ = unicode.UTF16(db.encoding == 2, unicode.IgnoreBOM).NewDecoder().Bytes(b)
	}
	return string(b)
}

// Table returns the table of that name, in any case.
func (db *DB) Table(name string) (Table, bool) {
	for _, t := range db.tables {
		if strings.EqualFold(t.Name, name) {
			return t, true
		}
	}
	return Table{}, false
}

// Rows calls f with each row of a table in the order of their ids. An error of f ends it.
func (db *DB) Rows(t Table, f func(id int64, row Row) error) error {
	return db.walk(t.root, func(id int64, payload []byte) error {
		v, row := db.values(payload), make(Row, len(t.Columns))
		for i, name := range t.Columns {
			if row[name] = nil; i < len(v) {
				row[name] = v[i]
			}
			if i == t.rowid && row[name] == nil {
				row[name] = id
			}
		}
		return f(id, row)
	})
}

var (
	tokens = pattern.Late("(?s)--[^\n]*|/\\*.*?\\*/|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|'(?:[^']|'')*'|\\[[^]]*\\]|" +
		`[\w$\x{80}-\x{10FFFF}]+|\S`)
	constraints = pattern.Words("CONSTRAINT PRIMARY UNIQUE CHECK FOREIGN")
)

// columns returns the names of the columns of a CREATE TABLE statement, in lower case, and the index of the row id, -1 for none.
func columns(sql string) (names []string, rowid int) {
	rowid = -1
	depth := 0
	var def []string // the tokens of one column or constraint
	end := func() {
		if len(def) > 0 && !constraints()[strings.ToUpper(def[0])] {
			kind := strings.ToUpper(strings.Join(def[1:min(5, len(def))], " "))
			if strings.HasPrefix(kind, "INTEGER PRIMARY KEY") && !strings.HasSuffix(kind, " DESC") {
				rowid = len(names)
			}
			names = append(names, strings.ToLower(unquoted(def[0])))
		}
		def = nil
	}
	for _, t := range tokens().FindAllString(sql, -1) {
		switch {
		case strings.HasPrefix(t, "--"), strings.HasPrefix(t, "/*"):
		case t == "(" && depth == 0:
			depth++
		case t == ")" && depth == 1:
			end()
			return names, rowid
		case t == "," && depth == 1:
			end()
		case depth > 0:
			def = append(def, t)
			depth += map[string]int{"(": 1, ")": -1}[t]
		}
	}
	return names, rowid
}

// unquoted returns a name without its quotes; a doubled quote is one.
func unquoted(name string) string {
	if !strings.ContainsAny(name[:1], "\"`'[") || len(name) < 2 {
		return name
	}
	return strings.ReplaceAll(name[1:len(name)-1], name[:1]+name[:1], name[:1])
}
