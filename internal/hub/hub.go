// Package hub keeps the records of an organisation's repositories in PostgreSQL; internal/index ranks them as it ranks files. By row-level
// security all counts are over what the reader may see: another repository changes no score, no total and no error.
package hub

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"sdd/internal/allow"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/pattern"
)

// Hub is a connection to the database. It is not safe for concurrent use.
type Hub struct{ pg *pgconn.PgConn }

// Open connects to the database that dsn names: a URL (postgres://…), keywords (host=… dbname=…), or $NAME for an
// environment variable that has either. Passwords come from the DSN, PGPASSWORD or ~/.pgpass.
//
// Faults: Invalid (the DSN), Unavailable (the server).
func Open(ctx context.Context, dsn string) (*Hub, error) {
	dsn, err := expand(dsn)
	if err != nil {
		return nil, err
	}
	conf, err := pgconn.ParseConfig(dsn)
	if err != nil {
		return nil, fault.New(fault.Invalid, "the hub's DSN cannot be read").For("dsn").
			With("write postgres://USER@HOST/DATABASE, or $NAME for an environment variable that has it")
	}
	if conf.RuntimeParams["application_name"] == "" {
		conf.RuntimeParams["application_name"] = "sdd"
	}
	pg, err := pgconn.ConnectConfig(ctx, conf)
	if err != nil {
		return nil, failed(ctx, err)
	}
	return &Hub{pg}, nil
}

func (h *Hub) Close() {
	ctx, stop := context.WithTimeout(context.Background(), time.Second)
	defer stop()
	_ = h.pg.Close(ctx) // a broken connection is closed already
}

// expand returns the DSN of an environment variable, and any other as it is.
func expand(dsn string) (string, error) {
	name, is := strings.CutPrefix(strings.TrimSpace(dsn), "$")
	if !is {
		return dsn, nil
	}
	name = strings.TrimSuffix(strings.TrimPrefix(name, "{"), "}")
	if v := os.Getenv(name); v != "" {
		return v, nil
	}
	return "", fault.New(fault.Invalid, "the environment variable %s has no DSN of a hub", name).For("dsn").
		With("set it to postgres://USER@HOST/DATABASE")
}

// password matches one in a DSN of keywords or in a URL.
var password = pattern.Late(`(?i)\b(ssl)?password\s*=|://[^/@]*:[^/]*@`)

// Settings are the section hub of config.yaml.
type Settings struct {
	DSN  string
	Wait time.Duration // how long a reader waits for the hub before it answers from the files
}

const (
	defaultWait = 250 * time.Millisecond
	MostWait    = time.Minute // that config.yaml may set
)

// SettingsOf reads the section hub; without one the fault is Invalid. A password in it is a Broken fault, since the file is committed.
func SettingsOf(c config.Config) (Settings, error) {
	wrong := func(hint, format string, args ...any) (Settings, error) {
		return Settings{}, fault.New(fault.Broken, format, args...).At(".sdd/"+config.Name, 0).With(hint)
	}
	const example = "write hub: {dsn: postgres://USER@HOST/DATABASE} or hub: {dsn: $NAME} for an environment variable"
	s := Settings{Wait: defaultWait}
	section, ok := c.Sections["hub"].(map[string]any)
	if c.Sections["hub"] == nil {
		return s, fault.New(fault.Invalid, "no hub is named").For("dsn").
			With("write hub: {dsn: postgres://USER@HOST/DATABASE} into .sdd/" + config.Name + ", or give the DSN to sdd hub")
	} else if !ok {
		return wrong(example, "hub: %s stands where keys with values are expected", config.Describe(c.Sections["hub"]))
	}
	if s.DSN, ok = section["dsn"].(string); !ok || strings.TrimSpace(s.DSN) == "" {
		return wrong(example, "hub: dsn is needed")
	}
	if password().MatchString(s.DSN) {
		return wrong("put the password into PGPASSWORD or ~/.pgpass, or name an environment variable with the whole DSN: hub: {dsn: $NAME}",
			"hub.dsn has a password, and this file is committed")
	}
	if v := section["wait"]; v != nil {
		wait, err := time.ParseDuration(fmt.Sprint(v))
		if err != nil || wait <= 0 || wait > MostWait {
			return wrong("such as 250ms or 2s", "hub.wait: %s is no time up to %s", config.Describe(v), MostWait)
		}
		s.Wait = wait
	}
	return s, nil
}

// Access is the permission that the user must give for the server in config.yaml: a cloned project may name any server.
func (s Settings) Access() (c allow.Command, needed bool) {
	return allow.Command{URL: s.DSN}, !strings.HasPrefix(strings.TrimSpace(s.DSN), "$")
}

// Trusted is SettingsOf, with a fault when the user has not trusted the server. local is the private folder of the store.
func Trusted(c config.Config, local string) (Settings, error) {
	s, err := SettingsOf(c)
	if cmd, needed := s.Access(); err == nil && needed && !allow.Open(local).Trusted(cmd) {
		err = fault.New(fault.Unavailable, "the hub that .sdd/%s names is not trusted on this machine", config.Name).
			With("look at hub.dsn there, then run: sdd trust hub")
	}
	return s, err
}

// SQLSTATEs with a hint of their own.
const (
	stateNoTable  = "42P01"
	stateNoSchema = "3F000"
	stateDenied   = "42501"
	stateFull     = "53300"
	stateDiskFull = "53100"
)

// failed turns a failure of the database into a fault. The message holds no values of rows.
func failed(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	var pg *pgconn.PgError
	f := fault.New(fault.Unavailable, "the hub does not answer").With("check that the server runs, and host, user and network")
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded) || pgconn.Timeout(err):
		f.Message = "the hub did not answer in time"
	case errors.As(err, &pg):
		f.Message = fmt.Sprintf("the hub refused: %s (%s)", pg.Message, pg.Code)
		switch pg.Code {
		case stateNoTable, stateNoSchema:
			f = fault.New(fault.NotFound, "the database has no hub").With("sdd hub init DSN makes it")
		case stateDenied:
			f.Message = "the hub denies this role access"
			f.Hint = "sdd hub grant ROLE REPOSITORY lets a role read a repository; only the owner pushes"
		case stateDiskFull:
			f.Message, f.Hint = "the hub's disk is full, and nothing of this was kept", "free some space on the server, then push again"
		case stateFull:
			f.Message, f.Hint = "the hub has no free connection", "raise max_connections, or put a pool in front of it"
		}
	}
	f.Cause = err
	return f
}

// Types of parameters, as PostgreSQL numbers them.
const (
	oidInt4   = 23
	oidText   = 25
	oidByteas = 1001
	oidInt4s  = 1007
)

// do runs one statement with parameters ($1 …) and calls each for every row of binary values, valid until each returns.
func (h *Hub) do(ctx context.Context, sql string, each func(v [][]byte), args ...any) error {
	values, oids := make([][]byte, len(args)), make([]uint32, len(args))
	for i, a := range args {
		values[i], oids[i] = encode(a)
	}
	rows := h.pg.ExecParams(ctx, sql, values, oids, nil, []int16{1})
	for rows.NextRow() {
		if each != nil {
			each(rows.Values())
		}
	}
	_, err := rows.Close()
	return failed(ctx, err)
}

// encode returns a parameter as text, and its type.
func encode(a any) (value []byte, oid uint32) {
	switch a := a.(type) {
	case string:
		return []byte(a), oidText
	case int:
		return fmt.Append(nil, a), oidInt4
	case []int:
		return array(a, "%d"), oidInt4s
	case [][]byte:
		return array(a, `"\\x%x"`), oidByteas
	}
	panic(fmt.Sprintf("hub: no form for a %T", a))
}

// array returns a list as text, each element in a format.
func array[T any](list []T, format string) []byte {
	b := []byte{'{'}
	for i, element := range list {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, format, element)
	}
	return append(b, '}')
}

// number decodes an int4 or int8.
func number(v []byte) int {
	if len(v) == 8 {
		return int(binary.BigEndian.Uint64(v))
	}
	return int(int32(binary.BigEndian.Uint32(v)))
}

// batch is statements that run one after the other until one fails: after err the others do nothing.
type batch struct {
	*Hub
	ctx context.Context
	err error
}

func (h *Hub) batch(ctx context.Context) *batch { return &batch{h, ctx, nil} }

func (b *batch) run(sql string, each func(v [][]byte), args ...any) {
	if b.err == nil {
		b.err = b.do(b.ctx, sql, each, args...)
	}
}

func (b *batch) script(sql string) {
	if b.err == nil {
		_, err := b.pg.Exec(b.ctx, sql).ReadAll()
		b.err = failed(b.ctx, err)
	}
}

// fail ends the batch with an error, unless it is nil or another one came before.
func (b *batch) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// inTransaction runs f in a transaction that begin starts, and commits it. A failure in f rolls everything back.
func (h *Hub) inTransaction(ctx context.Context, begin string, f func(*batch)) error {
	b := h.batch(ctx)
	if b.run(begin, nil); b.err != nil {
		return b.err
	}
	if f(b); b.err == nil {
		b.run("commit", nil)
		return b.err
	}
	end, stop := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer stop()
	_ = h.do(end, "rollback", nil) // a closed connection rolls back too
	return b.err
}
