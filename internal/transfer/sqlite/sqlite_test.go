package sqlite

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// made makes a database by the real program.
func made(t testing.TB, script string) string {
	t.Helper()
	if _, err := exec.LookPath("sqlite3"); err != nil {
		t.Skip("there is no sqlite3")
	}
	path := filepath.Join(t.TempDir(), "x.db")
	cmd := exec.Command("sqlite3", "-bail", path)
	cmd.Stdin = strings.NewReader(script)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return path
}

// dump reads every table, a line a row.
func dump(path string) ([]string, error) {
	db, err := Open(path)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, t := range db.tables {
		if err := db.Rows(t, func(id int64, row Row) error {
			var b strings.Builder
			fmt.Fprintf(&b, "%s %d", t.Name, id)
			for _, c := range t.Columns {
				fmt.Fprintf(&b, " %s=%v", c, row[c])
			}
			out = append(out, b.String())
			return nil
		}); err != nil {
			db.Close()
			return nil, err
		}
	}
	return out, db.Close()
}

func TestValuesOfEveryType(t *testing.T) {
	for _, encoding := range []string{"UTF-8", "UTF-16le", "UTF-16be"} {
		path := made(t, `PRAGMA encoding = '`+encoding+`'; PRAGMA page_size = 512;
CREATE TABLE "odd ""name" (id INTEGER PRIMARY KEY AUTOINCREMENT, -- a comment, with ( and ,
 [the text] TEXT NOT NULL DEFAULT ('a,b'), `+"`r`"+` REAL CHECK (r >= 0 OR r IN (1,2)), b BLOB, n DECIMAL(10,2), UNIQUE (r, n));
INSERT INTO "odd ""name" VALUES (7, 'grüße 🎉', 1.5, x'00ff', NULL), (8, '', 0, x'', 0), (9, 'x', 1e300, NULL, 1), (-3, 'y', 1, x'01', -1),
 (10, 'z', 127, NULL, -128), (11, 'z', 32768, NULL, -32769), (12, 'z', 8388608, NULL, 2147483648), (13, 'z', 3, NULL, 9223372036854775807);
ALTER TABLE "odd ""name" ADD COLUMN later TEXT DEFAULT 'q';`)
		got, err := dump(path)
		if err != nil {
			t.Fatal(encoding, err)
		}
		want := []string{
			`odd "name -3 id=-3 the text=y r=1 b=[1] n=-1 later=<nil>`,
			`odd "name 7 id=7 the text=grüße 🎉 r=1.5 b=[0 255] n=<nil> later=<nil>`,
			`odd "name 8 id=8 the text= r=0 b=[] n=0 later=<nil>`,
			`odd "name 9 id=9 the text=x r=1e+300 b=<nil> n=1 later=<nil>`,
			`odd "name 10 id=10 the text=z r=127 b=<nil> n=-128 later=<nil>`,
			`odd "name 11 id=11 the text=z r=32768 b=<nil> n=-32769 later=<nil>`,
			`odd "name 12 id=12 the text=z r=8388608 b=<nil> n=2147483648 later=<nil>`,
			`odd "name 13 id=13 the text=z r=3 b=<nil> n=9223372036854775807 later=<nil>`,
			`sqlite_sequence 1 name=odd "name seq=13`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(encoding, diff)
		}
	}
}

// Trees of several levels and rows of many pages read as the real program reads them.
func TestDeepTreesAndOverflow(t *testing.T) {
	for _, size := range []int{512, 1024, 4096, 65536} {
		path := made(t, fmt.Sprintf(`PRAGMA page_size = %d; CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 3000)
INSERT INTO t SELECT i, substr(hex(zeroblob(i*(i%%7))), 1, (i * 37) %% 9000) || i FROM n;
DELETE FROM t WHERE id %% 5 = 0;`, size))
		got, err := dump(path)
		if err != nil {
			t.Fatal(size, err)
		}
		out, err := exec.Command("sqlite3", path, "SELECT 't ' || id || ' id=' || id || ' s=' || s FROM t ORDER BY id").Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.Split(strings.TrimSuffix(string(out), "\n"), "\n"), got); diff != "" {
			t.Errorf("page size %d: %.500s", size, diff)
		}
	}
}

// logged returns a database whose last changes are in its log alone.
func logged(t testing.TB) string {
	path := made(t, "PRAGMA journal_mode = WAL; CREATE TABLE t (s TEXT); INSERT INTO t VALUES ('in the file');")
	keep := filepath.Join(t.TempDir(), "x.db")
	// The program removes the log when it ends, so it is copied while it runs.
	cmd := exec.Command("sqlite3", path)
	cmd.Stdin = strings.NewReader(`PRAGMA wal_autocheckpoint = 0; INSERT INTO t VALUES ('in the log');
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 400) INSERT INTO t SELECT 'row ' || i FROM n;
BEGIN; INSERT INTO t VALUES ('not committed');
.shell cp ` + path + ` ` + keep + `
.shell cp ` + path + `-wal ` + keep + `-wal
ROLLBACK;`)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return keep
}

func TestTheLogIsRead(t *testing.T) {
	path := logged(t)
	got, err := dump(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 402 || got[0] != "t 1 s=in the file" || got[1] != "t 2 s=in the log" || got[401] != "t 402 s=row 400" {
		t.Errorf("%d rows: %q", len(got), got[:min(3, len(got))])
	}
	// A log that was cut ends with its last whole commit.
	log, err := os.ReadFile(path + "-wal")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"-wal", log[:len(log)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = dump(path); err != nil || len(got) != 2 {
		t.Errorf("%d rows, %v", len(got), err)
	}
	log[40] ^= 1 // of the first frame
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err = dump(path); err != nil || !slices.Equal(got, []string{"t 1 s=in the file"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestWhatIsBeingWrittenIsSaid(t *testing.T) {
	path := made(t, "CREATE TABLE t (s TEXT); INSERT INTO t VALUES ('a');")
	db, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("sqlite3", path, "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 900) INSERT INTO t SELECT 'x' || i FROM n").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := db.Close(); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
	if err := os.WriteFile(path+"-journal", []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0}, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(path); !errors.Is(err, ErrBusy) {
		t.Error(err)
	}
}

func TestHostileFiles(t *testing.T) {
	path := made(t, `PRAGMA page_size = 512; CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 200) INSERT INTO t SELECT i, hex(zeroblob(i*3)) FROM n;`)
	src, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := dump(path)
	if err != nil || len(whole) != 200 {
		t.Fatal(len(whole), err)
	}
	try := func(name string, src []byte) {
		t.Helper()
		if err := os.WriteFile(path, src, 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := dump(path)
		if err != nil && !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil && len(got) > 400 {
			t.Errorf("%s: %d rows", name, len(got))
		}
	}
	for n := 0; n < len(src); n += 497 {
		try(fmt.Sprintf("cut at %d", n), src[:n])
	}
	r := rand.New(rand.NewPCG(1, 2))
	for n := range 500 {
		b := slices.Clone(src)
		for range 1 + n%6 {
			b[r.IntN(len(b))] = byte(r.IntN(256))
		}
		try(fmt.Sprintf("change %d", n), b)
	}
	// A page that leads to itself.
	b := slices.Clone(src)
	root := 512 // the root of t is page 2
	if b[root] != interiorPage {
		t.Fatalf("page 2 is of kind %d", b[root])
	}
	copy(b[root+8:], []byte{0, 0, 0, 2})
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := dump(path); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "used twice") {
		t.Error(err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add([]byte("SQLite format 3\x00"))
	if _, err := exec.LookPath("sqlite3"); err == nil {
		src, err := os.ReadFile(made(f, "PRAGMA page_size = 512; CREATE TABLE t (id INTEGER PRIMARY KEY, s TEXT); INSERT INTO t VALUES (1, hex(zeroblob(700)));"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(src)
	}
	path := filepath.Join(f.TempDir(), "x.db")
	f.Fuzz(func(t *testing.T, src []byte) {
		if err := os.WriteFile(path, src, 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := dump(path); err != nil && !errors.Is(err, ErrFormat) {
			t.Error(err)
		}
	})
}

func TestColumns(t *testing.T) {
	for sql, want := range map[string]string{
		"CREATE TABLE t (a, b)":                                             "[a b] -1",
		"create table t(id integer primary key not null, b)":                "[id b] 0",
		"CREATE TABLE t (id INTEGER PRIMARY KEY DESC, b)":                   "[id b] -1",
		"CREATE TABLE t (id INT PRIMARY KEY, b)":                            "[id b] -1",
		"CREATE TABLE t (\"primary\" TEXT, 'q', PRIMARY KEY (\"primary\"))": "[primary q] -1",
		"CREATE TABLE t (a TEXT":                                            "[] -1",
		"CREATE TABLE t":                                                    "[] -1",
		"((((":                                                              "[] -1",
		"\"":                                                                "[] -1",
		"":                                                                  "[] -1",
	} {
		names, rowid := columns(sql)
		if got := fmt.Sprint(names, rowid); got != want {
			t.Errorf("%s: %s, want %s", sql, got, want)
		}
	}
}
