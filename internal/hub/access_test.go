package hub

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/hub/hubtest"
	"sdd/internal/index"
	"sdd/internal/longtest"
	"sdd/internal/store"
)

// two makes a hub with the repositories ann0 to ann2 and bob0 to bob2, and the roles ann and bob who may read their own. The
// words and the number of bob's records depend on secret.
func two(t *testing.T, secret string, rng *rand.Rand) (owner *Hub, database string) {
	t.Helper()
	owner, database = open(t)
	admin(t, database, `do $$ begin
		if not exists (select from pg_roles where rolname = 'ann') then create role ann login; create role bob login; end if; end $$`)
	for i := range 3 {
		a := texts(rand.New(rand.NewPCG(9, uint64(i))), 40)
		push(t, owner, fmt.Sprint("ann", i), "c1", a)
		if secret == "" {
			continue
		}
		b := texts(rng, 60)
		for path := range b {
			b[path] += secret + "\n"
		}
		push(t, owner, fmt.Sprint("bob", i), "c1", b)
	}
	for i := range 3 {
		for _, role := range []string{"ann", "bob"} {
			if secret == "" && role == "bob" {
				continue
			}
			if err := owner.Grant(t.Context(), role, fmt.Sprint(role, i)); err != nil {
				t.Fatalf("%v: %v", err, fault.Of(err).Cause)
			}
		}
	}
	return owner, database
}

// answers returns all that a role learns from a question: records, scores, order and total, or the error.
func answers(t *testing.T, h *Hub, text string) string {
	t.Helper()
	f, err := h.Ask(t.Context(), Question{Text: text, Most: 30})
	if err != nil {
		return fmt.Sprint(err, fault.Of(err).Hint)
	}
	for path := range f.Texts {
		if !strings.Contains(path, "/@ann") {
			t.Errorf("%q gives %s", text, path)
		}
	}
	own, err := store.Open(store.Options{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	st := store.OpenTexts(f.Texts, own)
	defer st.Close()
	ix, err := index.OpenPart(t.Context(), st, f.Census)
	if err != nil {
		t.Fatal(err)
	}
	defer ix.Close()
	hits, total := page(t, ix, text)
	return fmt.Sprint(hits, total)
}

// What a role reads does not depend on the repositories of another: each answer, with its scores and its total, is that of a
// hub without them.
func TestRolesAreApart(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(11, 12))
	_, with := two(t, "hiddenword", rng)
	_, without := two(t, "", rng)
	a, b := connect(t, "ann", with), connect(t, "ann", without)
	defer a.Close()
	defer b.Close()
	for i := range longtest.Of(50, 2_000) {
		var words []string
		for range 1 + rng.IntN(3) {
			w := vocabulary[rng.IntN(len(vocabulary))]
			words = append(words, w[:max(3, len(w)-rng.IntN(4))])
		}
		if i%5 == 0 {
			words = append(words, "hiddenword"[:4+rng.IntN(7)])
		}
		if i%7 == 0 {
			words = []string{"fact-" + fmt.Sprintf("%012x", rng.Uint64()>>16) + "@bob1"}
		}
		text := strings.Join(words, " ")
		if got, want := answers(t, a, text), answers(t, b, text); got != want {
			t.Fatalf("%q: %s, without the other's repositories %s", text, got, want)
		}
	}
	s, err := a.Status(t.Context())
	if err != nil || len(s.Repositories) != 3 || s.Records != 120 {
		t.Errorf("status: %+v, %v", s, err)
	}
}

// A reader's role cannot write, read around the policies, nor learn from an error.
func TestReaderIsDenied(t *testing.T) {
	owner, name := two(t, "hiddenword", rand.New(rand.NewPCG(13, 14)))
	ann := connect(t, "ann", name)
	defer ann.Close()
	var bob int
	_ = owner.do(t.Context(), "select id from sdd.repository where name = 'bob0'", func(v [][]byte) { bob = number(v[0]) })
	for _, sql := range []string{
		"insert into sdd.allowed select 'ann', id from sdd.repository",
		fmt.Sprintf("insert into sdd.allowed values ('ann', %d)", bob),
		"update sdd.repository set commit = 'x'",
		"delete from sdd.posting",
		"delete from sdd.record",
		"truncate sdd.record",
		"insert into sdd.repository (name) values ('mine')",
		"create table sdd.mine (n int)",
		"create function sdd.leak(text) returns bool language sql as 'select true'",
		"alter table sdd.record disable row level security",
		"drop policy reader on sdd.record",
		"set role bob",
		"set session authorization bob",
		"select * from sdd.record_0",
		"select * from sdd.posting_3",
	} {
		var pg *pgconn.PgError
		if err := ann.do(t.Context(), sql, nil); err == nil || !errors.As(fault.Of(err).Cause, &pg) || strings.Contains(pg.Detail+pg.Message, "bob0") {
			t.Errorf("%s: %v", sql, err)
		}
	}
	for _, sql := range []string{
		"select name from sdd.repository", "select path from sdd.record", "select convert_from(term, 'UTF8') from sdd.posting",
		"select role::text from sdd.allowed", "select convert_from(source, 'UTF8') from sdd.record",
		fmt.Sprintf("select path from sdd.record where repository = %d", bob),
		"select most_common_vals::text from pg_stats where schemaname = 'sdd'",
		"set row_security = off; select name from sdd.repository",
	} {
		for part := range strings.SplitSeq(sql, "; ") {
			err := ann.do(t.Context(), part, func(v [][]byte) {
				if s := string(v[0]); strings.Contains(s, "bob") || strings.Contains(s, "hiddenword") {
					t.Errorf("%s: %.60q", part, s)
				}
			})
			if err != nil && !strings.Contains(err.Error(), "row-level security") && !strings.Contains(err.Error(), "denies") {
				t.Errorf("%s: %v", part, err)
			}
		}
	}
	if _, err := ann.Push(t.Context(), pushOf("ann0", "c2", nil)); err == nil || !strings.Contains(err.Error(), "denies") {
		t.Errorf("a reader's push: %v", err)
	}
}

// Faults of the server are faults of the hub, and what was pushed before is there afterwards.
func TestServerFails(t *testing.T) {
	t.Parallel()
	if _, ok := hubtest.Program(); !ok {
		t.Skip("there is no PostgreSQL")
	}
	c, err := hubtest.Start("max_connections = 4", "superuser_reserved_connections = 0", "max_wal_senders = 0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	connect := func() (*Hub, error) { return Open(t.Context(), c.DSN("postgres", "postgres")) }
	h, err := connect()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Ask(t.Context(), Question{Text: "retry", Most: 10}); !fault.Is(err, fault.NotFound) {
		t.Errorf("no hub: %v", err)
	}
	if _, err := h.Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	push(t, h, "payments", "c1", texts(rand.New(rand.NewPCG(15, 16)), 30))

	var open []*Hub
	for {
		other, err := connect()
		if err != nil {
			if !strings.Contains(err.Error(), "no free connection") {
				t.Errorf("out of connections: %v", err)
			}
			break
		}
		open = append(open, other)
	}
	for _, other := range open {
		other.Close()
	}

	p := pushOf("payments", "c2", texts(rand.New(rand.NewPCG(17, 18)), 30))
	p.Files[20].Read = func() ([]byte, error) { return []byte("x"), c.Restart("stop") }
	if _, err := h.Push(t.Context(), p); err == nil {
		t.Error("a push while the server is killed ends well")
	}
	if _, err := connect(); !fault.Is(err, fault.Unavailable) {
		t.Errorf("down: %v", err)
	}
	if err := c.Restart("start"); err != nil {
		t.Fatal(err)
	}
	if h, err = connect(); err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	if s, err := h.Status(t.Context()); err != nil || s.Records != 30 || s.Repositories[0].Commit != "c1" {
		t.Errorf("after the crash: %+v, %v", s, err)
	}
	for _, test := range []struct {
		version int
		want    string
	}{{0, "sdd hub init"}, {Version + 1, "update sdd"}} {
		if err := h.do(t.Context(), "update sdd.version set version = $1", nil, test.version); err != nil {
			t.Fatal(err)
		}
		_, asked := h.Ask(t.Context(), Question{Text: "retry", Most: 10})
		_, pushed := h.Push(t.Context(), pushOf("payments", "c3", nil))
		for _, err := range []error{asked, pushed} {
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(fault.Of(err).Hint, test.want) {
				t.Errorf("schema %d: %v", test.version, err)
			}
		}
	}
}

// Two pushes of one repository at once come one after the other; two inits too.
func TestAtOnce(t *testing.T) {
	_, name := open(t)
	done := make(chan error, 6)
	want := map[string]int{}
	for i := range 6 {
		h := connect(t, "postgres", name)
		defer h.Close()
		commit := fmt.Sprint("c", i)
		p := pushOf("payments", commit, texts(rand.New(rand.NewPCG(19, uint64(i))), 20+i))
		want[commit] = len(p.Files)
		go func() {
			_, failed := h.Init(t.Context())
			_, err := h.Push(t.Context(), p)
			done <- errors.Join(failed, err)
		}()
	}
	for range 6 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	h := connect(t, "postgres", name)
	defer h.Close()
	s, err := h.Status(t.Context())
	if err != nil || len(s.Repositories) != 1 || s.Records != want[s.Repositories[0].Commit] {
		t.Fatalf("%+v, %v", s, err)
	}
	docs := map[string]bool{}
	for k := range postingsOf(t, h, "payments") {
		_, path, _ := strings.Cut(k, "\" ")
		docs[path] = true
	}
	if len(docs) != s.Records || docs[""] {
		t.Errorf("postings of %d records, want %d", len(docs), s.Records)
	}
}

// The DSN of config.yaml has no password.
func TestSettings(t *testing.T) {
	for _, test := range []struct {
		dsn  string
		want bool
	}{
		{"postgres://reader@db/sdd", true}, {"host=db user=reader dbname=sdd", true}, {"$HUB", true},
		{"postgres://reader:x@db/sdd", false}, {"host=db password=x", false}, {"postgres://db/sdd?user=a&password=x", false},
		{"host=db PASSWORD = 'x y'", false}, {"postgres://reader:x%@db/sdd", false}, {"", false},
	} {
		s, err := SettingsOf(config.Config{Sections: map[string]any{"hub": map[string]any{"dsn": test.dsn}}})
		if (err == nil) != test.want || test.want && (s.DSN != test.dsn || s.Wait != defaultWait) {
			t.Errorf("%q: %+v, %v", test.dsn, s, err)
		}
		if err != nil && strings.Contains(err.Error()+fault.Of(err).Hint, ":x") {
			t.Errorf("%q: the error has the password", test.dsn)
		}
	}
	if _, err := expand("$SDD_NO_SUCH_HUB"); !fault.Is(err, fault.Invalid) {
		t.Errorf("an unset variable: %v", err)
	}
}

// A server that takes connections and says nothing costs a reader the wait, not more.
func TestServerIsSilent(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	ctx, stop := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer stop()
	_, err = Open(ctx, "postgres://reader@"+l.Addr().String()+"/sdd?sslmode=disable")
	if err == nil || err.Error() != "the hub did not answer in time" {
		t.Errorf("got %v", err)
	}
}
