// Package sqlite reads the rows of tables of an SQLite database: as much of its file format
// (https://www.sqlite.org/fileformat2.html) as it takes to bring in what another program keeps, and no SQL. It reads table
// b-trees with their overflow pages, and the committed frames of a write-ahead log; it writes nothing and takes no lock, so
// Close says whether somebody wrote meanwhile.
//
// A library was weighed against it: modernc.org/sqlite makes the program 5 MB larger and every start 0.3 ms slower (measured with
// v1.61), ncruces/go-sqlite3 brings a WebAssembly runtime, and an import is run once.
//
// The file may be hostile. Every offset is checked, no page is used twice in one table, so that no circle of pages and no chain
// that many rows share can make it run or allocate beyond the size of the file, and a row is at most MaxRow bytes.
package sqlite

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// MaxRow is the largest row in bytes that is read.
const MaxRow = 64 << 20

const (
	headerSize = 100
	maxDepth   = 40 // of a b-tree; a real one of 2^32 pages is less deep
	maxTables  = 10_000
	maxColumns = 32767 // that a table can have
)

var magic = []byte("SQLite format 3\x00")

// ErrFormat is what errors.Is finds in the error of a file that is no sound database.
var ErrFormat = errors.New("not a sound SQLite database")

// ErrBusy is what errors.Is finds where a program is writing to the database, or ended in the middle of it.
var ErrBusy = errors.New("the database is being written to")

// Is reports whether a file that begins with head is an SQLite database.
func Is(head []byte) bool { return bytes.HasPrefix(head, magic) }

// DB is a database that is being read. It is not for concurrent use.
type DB struct {
	f        *os.File
	path     string
	pageSize int
	usable   int // bytes of a page that hold content
	encoding uint32
	pages    uint32           // how many there are
	wal      map[uint32]int64 // offset of the page in the log, by number
	log      *os.File
	stamp    [2]stamp
	tables   []Table
}

// stamp tells one state of a file from another.
type stamp struct{ size, mtime int64 }

// Table is a table of the database.
type Table struct {
	Name    string
	Columns []string
	root    uint32
	rowid   int // the column that is another name of the row id, -1 for none
}

// Row is one row: a value is nil, int64 (also a whole number in a REAL column), float64, string or []byte. Columns that were added after the row was written are
// nil, whatever their default.
type Row map[string]any

// Text returns a column as text; "" for nil and what is none.
func (r Row) Text(column string) string {
	switch v := r[column].(type) {
	case string:
		return v
	case []byte:
		return string(v)
	}
	return ""
}

func bad(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrFormat, fmt.Sprintf(format, args...))
}

// Open opens the database at path and reads its schema. The error is about the file (fs.ErrNotExist and so on), or an ErrFormat
// or ErrBusy.
func Open(path string) (*DB, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	db := &DB{f: f, path: path}
	if err := db.open(); err != nil {
		db.release()
		return nil, err
	}
	return db, nil
}

func (db *DB) open() error {
	db.stamp = db.state()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(db.f, head); err != nil || !Is(head) {
		if err == nil || err == io.EOF || err == io.ErrUnexpectedEOF {
			return bad("it has no header")
		}
		return err
	}
	if db.pageSize = int(binary.BigEndian.Uint16(head[16:])); db.pageSize == 1 {
		db.pageSize = 1 << 16
	}
	if db.pageSize < 512 || db.pageSize&(db.pageSize-1) != 0 {
		return bad("its page size is %d", db.pageSize)
	}
	if db.usable = db.pageSize - int(head[20]); db.usable < 480 {
		return bad("its pages have room for %d bytes", db.usable)
	}
	if db.encoding = binary.BigEndian.Uint32(head[56:]); db.encoding > 3 {
		return bad("its text encoding is %d", db.encoding)
	}
	pages := db.stamp[0].size / int64(db.pageSize)
	if pages < 1 || pages > math.MaxUint32-1 {
		return bad("it has %d bytes", db.stamp[0].size)
	}
	db.pages = uint32(pages)
	if err := db.settled(); err != nil {
		return err
	}
	if head[18] == 2 || head[19] == 2 {
		if err := db.readLog(); err != nil {
			return err
		}
	}
	return db.readSchema()
}

// Close ends the reading. An ErrBusy says that the database changed meanwhile, and what was read may be of two states.
func (db *DB) Close() error {
	now := db.state()
	db.release()
	if now != db.stamp {
		return fmt.Errorf("%w: it changed while it was read", ErrBusy)
	}
	return nil
}

func (db *DB) release() {
	db.f.Close()
	if db.log != nil {
		db.log.Close()
	}
}

// state tells the sizes and times of the database and its log.
func (db *DB) state() (s [2]stamp) {
	if st, err := db.f.Stat(); err == nil {
		s[0] = stamp{st.Size(), st.ModTime().UnixNano()}
	}
	if st, err := os.Stat(db.path + "-wal"); err == nil {
		s[1] = stamp{st.Size(), st.ModTime().UnixNano()}
	}
	return s
}

// settled refuses a database whose rollback journal has not been rolled back: its pages may be half of a change.
func (db *DB) settled() error {
	head := make([]byte, 8)
	j, err := os.Open(db.path + "-journal")
	if err != nil {
		return nil // there is none
	}
	defer j.Close()
	if _, err := io.ReadFull(j, head); err == nil && bytes.Equal(head, []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}) {
		return fmt.Errorf("%w: it has a journal that was not rolled back", ErrBusy)
	}
	return nil
}

const (
	logHeader   = 32
	frameHeader = 24
)

// readLog finds the pages that the write-ahead log has newer, up to its last whole commit. A log that is missing, of another
// generation or broken ends where it is not sound any more, as SQLite itself reads it.
func (db *DB) readLog() error {
	f, err := os.Open(db.path + "-wal")
	if err != nil {
		return nil // there is none
	}
	db.log = f
	head := make([]byte, logHeader)
	if _, err := f.ReadAt(head, 0); err != nil {
		return nil
	}
	be := binary.BigEndian
	m := be.Uint32(head)
	if m&^1 != 0x377f0682 || int(be.Uint32(head[8:])) != db.pageSize {
		return nil
	}
	var order binary.ByteOrder = binary.LittleEndian
	if m&1 == 1 {
		order = be
	}
	sum := checksum{order: order}
	sum.add(head[:24])
	if sum.a != be.Uint32(head[24:]) || sum.b != be.Uint32(head[28:]) {
		return nil
	}
	frame := make([]byte, frameHeader+db.pageSize)
	since := map[uint32]int64{}
	for at := int64(logHeader); ; at += int64(len(frame)) {
		if _, err := f.ReadAt(frame, at); err != nil {
			return nil // the end
		}
		sum.add(frame[:8])
		sum.add(frame[frameHeader:])
		if !bytes.Equal(frame[8:16], head[16:24]) || sum.a != be.Uint32(frame[16:]) || sum.b != be.Uint32(frame[20:]) {
			return nil
		}
		page, commit := be.Uint32(frame), be.Uint32(frame[4:])
		if page == 0 {
			return nil
		}
		since[page] = at + frameHeader
		if commit == 0 {
			continue
		}
		if db.wal == nil {
			db.wal = map[uint32]int64{}
		}
		for p, offset := range since {
			db.wal[p] = offset
		}
		clear(since)
		db.pages = commit
	}
}

// checksum is that of the log: two sums over pairs of words.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (c *checksum) add(b []byte) {
	for ; len(b) >= 8; b = b[8:] {
		c.a += c.order.Uint32(b) + c.b
		c.b += c.order.Uint32(b[4:]) + c.a
	}
}

// page reads the page of that number.
func (db *DB) page(n uint32) ([]byte, error) {
	if n == 0 || n > db.pages {
		return nil, bad("there is no page %d", n)
	}
	b := make([]byte, db.pageSize)
	f, at := db.f, int64(n-1)*int64(db.pageSize)
	if offset, ok := db.wal[n]; ok {
		f, at = db.log, offset
	}
	if _, err := f.ReadAt(b, at); err == io.EOF {
		return nil, bad("it ends before page %d", n)
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// walk is the reading of one b-tree.
type walk struct {
	db   *DB
	seen map[uint32]bool
	row  func(id int64, payload []byte) error
}

func (w *walk) page(n uint32) ([]byte, error) {
	if w.seen[n] {
		return nil, bad("page %d is used twice", n)
	}
	w.seen[n] = true
	return w.db.page(n)
}

// tree reads the table b-tree whose root is page n.
func (w *walk) tree(n uint32, depth int) error {
	if depth > maxDepth {
		return bad("a table is more than %d pages deep", maxDepth)
	}
	b, err := w.page(n)
	if err != nil {
		return err
	}
	h := 0
	if n == 1 {
		h = headerSize
	}
	kind, cells := b[h], int(binary.BigEndian.Uint16(b[h+3:]))
	pointers := h + 8
	if kind == interiorPage {
		pointers = h + 12
	}
	if kind != interiorPage && kind != leafPage {
		return bad("page %d is none of a table", n)
	}
	if pointers+2*cells > w.db.usable {
		return bad("page %d has %d cells", n, cells)
	}
	room := w.db.usable // what the cells may take together: none lies in another
	for i := range cells {
		at := int(binary.BigEndian.Uint16(b[pointers+2*i:]))
		if at < pointers+2*cells || at+4 > w.db.usable {
			return bad("a cell of page %d lies outside of it", n)
		}
		if kind == interiorPage {
			if err := w.tree(binary.BigEndian.Uint32(b[at:]), depth+1); err != nil {
				return err
			}
			continue
		}
		used, err := w.cell(b[at:w.db.usable])
		if err != nil {
			return err
		}
		if room -= used; room < 0 {
			return bad("cells of page %d lie in each other", n)
		}
	}
	if kind == interiorPage {
		return w.tree(binary.BigEndian.Uint32(b[h+8:]), depth+1)
	}
	return nil
}

const (
	interiorPage = 0x05
	leafPage     = 0x0d
)

// cell reads a row of a leaf, and returns how many bytes of the page it takes.
func (w *walk) cell(b []byte) (used int, err error) {
	size, n := varint(b)
	if n == 0 || size > MaxRow {
		return 0, bad("a row has %d bytes", size)
	}
	id, m := varint(b[n:])
	if m == 0 {
		return 0, bad("a row has no id")
	}
	b = b[n+m:]
	total, usable := int(size), w.db.usable
	local := total
	if most := usable - 35; total > most {
		least := (usable-12)*32/255 - 23
		if local = least + (total-least)%(usable-4); local > most {
			local = least
		}
	}
	if local > len(b) || local < total && local+4 > len(b) {
		return 0, bad("a row lies outside of its page")
	}
	used = n + m + local
	if local == total {
		return used, w.row(int64(id), b[:total])
	}
	payload := bytes.Clone(b[:local])
	for next := binary.BigEndian.Uint32(b[local:]); len(payload) < total; {
		page, err := w.page(next)
		if err != nil {
			return 0, err
		}
		payload = append(payload, page[4:min(usable, 4+total-len(payload))]...)
		next = binary.BigEndian.Uint32(page)
	}
	return used + 4, w.row(int64(id), payload)
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
func (db *DB) values(payload []byte) ([]any, error) {
	size, n := varint(payload)
	if n == 0 || size < uint64(n) || size > uint64(len(payload)) {
		return nil, bad("a row has a header of %d bytes", size)
	}
	types, body := payload[n:size], payload[size:]
	var out []any
	for len(types) > 0 {
		t, n := varint(types)
		if n == 0 {
			return nil, bad("a row's header ends early")
		}
		types = types[n:]
		v, size, err := db.value(t, body)
		if err != nil {
			return nil, err
		}
		body = body[size:]
		if out = append(out, v); len(out) > maxColumns {
			return nil, bad("a row has more than %d values", maxColumns)
		}
	}
	return out, nil
}

// value reads the value of serial type t at the start of b.
func (db *DB) value(t uint64, b []byte) (v any, size int, err error) {
	switch {
	case t == 0:
		return nil, 0, nil
	case t == 8, t == 9:
		return int64(t - 8), 0, nil
	case t == 10, t == 11:
		return nil, 0, bad("a value is of type %d", t)
	case t <= 7:
		size = [...]int{0, 1, 2, 3, 4, 6, 8, 8}[t]
	case (t-12)/2 > uint64(len(b)):
		return nil, 0, bad("a value lies outside of its row")
	default:
		size = int((t - 12) / 2)
	}
	if size > len(b) {
		return nil, 0, bad("a value lies outside of its row")
	}
	b = b[:size]
	switch {
	case t == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(b)), size, nil
	case t <= 6:
		n := int64(int8(b[0]))
		for _, c := range b[1:] {
			n = n<<8 | int64(c)
		}
		return n, size, nil
	case t%2 == 0:
		return bytes.Clone(b), size, nil
	}
	return db.decoded(b), size, nil
}

// decoded is a text in the encoding of the database.
func (db *DB) decoded(b []byte) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch db.encoding {
	case 2:
	case 3:
		order = binary.BigEndian
	default:
		return string(b)
	}
	units := make([]uint16, 0, len(b)/2)
	for ; len(b) >= 2; b = b[2:] {
		units = append(units, order.Uint16(b))
	}
	var out []byte
	for _, r := range utf16.Decode(units) {
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}

// readSchema reads the table of tables.
func (db *DB) readSchema() error {
	w := &walk{db: db, seen: map[uint32]bool{}, row: func(_ int64, payload []byte) error {
		v, err := db.values(payload)
		if err != nil {
			return err
		}
		if len(v) < 5 || len(db.tables) == maxTables {
			return bad("its schema is none")
		}
		kind, _ := v[0].(string)
		name, _ := v[1].(string)
		root, _ := v[3].(int64)
		sql, _ := v[4].(string)
		if kind != "table" || root < 1 || root > math.MaxUint32 { // a virtual table has no root
			return nil
		}
		t := Table{Name: name, root: uint32(root), rowid: -1}
		t.Columns, t.rowid = columns(sql)
		db.tables = append(db.tables, t)
		return nil
	}}
	return w.tree(1, 0)
}

// Tables returns the tables, those that SQLite keeps for itself among them, in the order in which they were made.
func (db *DB) Tables() []Table { return db.tables }

// Table returns the table of that name, without case.
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
	w := &walk{db: db, seen: map[uint32]bool{}, row: func(id int64, payload []byte) error {
		v, err := db.values(payload)
		if err != nil {
			return err
		}
		row := make(Row, len(t.Columns))
		for i, name := range t.Columns {
			switch {
			case i >= len(v):
				row[name] = nil
			case i == t.rowid && v[i] == nil:
				row[name] = id
			default:
				row[name] = v[i]
			}
		}
		return f(id, row)
	}}
	return w.tree(t.root, 0)
}
