package hub

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5/pgconn"

	"sdd/internal/fault"
)

// migrations bring the schema from the version of their index to the next one. A released one never changes.
var migrations = []string{`
create schema sdd;
create table sdd.version (version int not null);
insert into sdd.version values (0);

create table sdd.repository (
	id int primary key default (random() * 2147483646)::int,
	name text not null unique,
	commit text not null default '',
	pushed timestamptz,
	analysis int not null default 0,
	records int not null default 0,
	words bigint not null default 0,
	size int not null default 0
);

create table sdd.record (
	repository int not null,
	doc int not null,
	path text not null,
	blob text not null,
	length int not null,
	source bytea not null,
	primary key (repository, doc)
) partition by hash (repository);

create table sdd.posting (
	repository int not null,
	chunk int not null,
	term bytea not null,
	list bytea not null
) partition by hash (repository);
create unique index posting_term on sdd.posting (term, repository, chunk) include (list);

do $$ begin
	for i in 0..7 loop
		execute format('create table sdd.record_%s partition of sdd.record for values with (modulus 8, remainder %s)', i, i);
		execute format('create table sdd.posting_%s partition of sdd.posting for values with (modulus 8, remainder %s)
			with (autovacuum_vacuum_insert_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.02)', i, i);
	end loop;
end $$;

create table sdd.allowed (role name not null, repository int not null references sdd.repository on delete cascade, primary key (role, repository));
alter table sdd.allowed enable row level security;
alter table sdd.repository enable row level security;
alter table sdd.record enable row level security;
alter table sdd.posting enable row level security;
create policy reader on sdd.allowed for select using (role in (select rolname from pg_catalog.pg_roles where pg_has_role(oid, 'member')));
create policy reader on sdd.repository for select using (id in (select repository from sdd.allowed));
create policy reader on sdd.record for select using (repository in (select repository from sdd.allowed));
create policy reader on sdd.posting for select using (repository in (select repository from sdd.allowed));
`, `
alter table sdd.repository
	add model text not null default '', -- of the vectors
	add dims int not null default 0,
	add units int not null default 0; -- vectors
`}

// vectorSchema makes the part that needs the extension pgvector. total is the sum of a repository's vectors.
const vectorSchema = `
create extension if not exists vector;
alter table sdd.repository add total vector;
create table sdd.vector (
	repository int not null,
	doc int not null,
	section int not null,
	dims int not null,
	vector vector not null,
	primary key (repository, doc, section)
);
alter table sdd.vector alter vector set storage main;
alter table sdd.vector enable row level security;
create policy reader on sdd.vector for select using (repository in (select repository from sdd.allowed));
do $$ declare r name; begin
	for r in select distinct role from sdd.allowed where role in (select rolname from pg_roles) loop
		execute format('grant select on sdd.vector to %I', r);
	end loop;
end $$;
`

// Version is the version of the schema that this program reads and writes.
var Version = len(migrations)

// initLock is the key of the lock that lets one init work at a time.
const initLock = "select pg_advisory_xact_lock(757364)"

// Made is what Init did.
type Made struct {
	Before  int    `json:"before"` // version of the schema, 0 for none
	Schema  int    `json:"schema"`
	Vectors bool   `json:"vectors"`       // it can have some
	Why     string `json:"why,omitempty"` // not
}

// Init makes the hub's schema in the database or brings it to this program's version, in one transaction. Vectors need the
// extension pgvector; without it the hub does not have them. The role that runs it owns the hub: only that role pushes.
func (h *Hub) Init(ctx context.Context) (out Made, err error) {
	out.Schema = Version
	err = h.inTransaction(ctx, "begin", func() error {
		if err := h.do(ctx, initLock, nil); err != nil {
			return err
		}
		var there bool
		err := h.do(ctx, "select to_regclass('sdd.version') is not null", func(v [][]byte) { there = v[0][0] == 1 })
		if err != nil {
			return err
		}
		if there {
			if out.Before, err = h.version(ctx); err != nil {
				return err
			}
			if out.Before > Version {
				return newer(out.Before)
			}
		}
		for _, sql := range migrations[out.Before:] {
			if _, err := h.pg.Exec(ctx, sql).ReadAll(); err != nil {
				return failed(ctx, err)
			}
		}
		if err := h.do(ctx, "update sdd.version set version = $1", nil, Version); err != nil {
			return err
		}
		out.Why, err = h.initVectors(ctx)
		out.Vectors = out.Why == ""
		return err
	})
	return out, err
}

// initVectors makes the part of the schema that has vectors, unless it is there. why is the reason when it cannot.
func (h *Hub) initVectors(ctx context.Context) (why string, err error) {
	if there, err := h.hasVectors(ctx); there || err != nil {
		return "", err
	}
	why = "the server has no extension pgvector"
	err = h.do(ctx, "select from pg_available_extensions where name = 'vector'", func([][]byte) { why = "" })
	if why != "" || err != nil {
		return why, err
	}
	if err := h.do(ctx, "savepoint vectors", nil); err != nil {
		return "", err
	}
	_, err = h.pg.Exec(ctx, vectorSchema).ReadAll()
	if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == stateDenied {
		return "this role may not make pgvector: a superuser runs create extension vector in the database, then run sdd hub init again",
			h.do(ctx, "rollback to savepoint vectors", nil)
	}
	return "", failed(ctx, err)
}

// hasVectors reports whether the hub can have vectors.
func (h *Hub) hasVectors(ctx context.Context) (there bool, err error) {
	err = h.do(ctx, "select to_regclass('sdd.vector') is not null", func(v [][]byte) { there = v[0][0] == 1 })
	return there, err
}

func (h *Hub) version(ctx context.Context) (n int, err error) {
	err = h.do(ctx, "select version from sdd.version", func(v [][]byte) { n = number(v[0]) })
	return n, err
}

// check demands the schema of this program.
func (h *Hub) check(ctx context.Context) error {
	n, err := h.version(ctx)
	switch {
	case err != nil:
		return err
	case n > Version:
		return newer(n)
	case n < Version:
		return fault.New(fault.Unavailable, "the hub has the schema %d, this program needs %d", n, Version).With("sdd hub init DSN migrates it")
	}
	return nil
}

func newer(n int) error {
	return fault.New(fault.Unavailable, "the hub has the schema %d, this program knows %d", n, Version).With("update sdd")
}

// Grant lets a role read a repository.
func (h *Hub) Grant(ctx context.Context, role, repository string) error {
	return h.inTransaction(ctx, "begin", func() error {
		if err := h.check(ctx); err != nil {
			return err
		}
		var quoted string
		err := h.do(ctx, "select quote_ident(rolname) from pg_roles where rolname = $1", func(v [][]byte) { quoted = string(v[0]) }, role)
		if err != nil {
			return err
		}
		if quoted == "" {
			return fault.New(fault.NotFound, "the database has no role %q", role).For("role").With("create role … login, then grant again")
		}
		id := -1
		err = h.do(ctx, "select id from sdd.repository where name = $1", func(v [][]byte) { id = number(v[0]) }, repository)
		if err != nil {
			return err
		}
		if id < 0 {
			return fault.New(fault.NotFound, "the hub has no repository %q", repository).For("repository").With("sdd hub status lists them")
		}
		tables := "sdd.version, sdd.repository, sdd.record, sdd.posting, sdd.allowed"
		if there, err := h.hasVectors(ctx); err != nil {
			return err
		} else if there {
			tables += ", sdd.vector"
		}
		return errors.Join(
			h.do(ctx, "grant usage on schema sdd to "+quoted, nil),
			h.do(ctx, "grant select on "+tables+" to "+quoted, nil),
			h.do(ctx, "insert into sdd.allowed values ($1::text::name, $2) on conflict do nothing", nil, role, id),
		)
	})
}
