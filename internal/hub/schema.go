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

create table sdd.allowed (role name not null, repository int not null references sdd.repository on delete cascade,
	primary key (role, repository));
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
func (h *Hub) Init(ctx context.Context) (Made, error) {
	out := Made{Schema: Version}
	err := h.inTransaction(ctx, "begin", func(b *batch) {
		b.run(initLock, nil)
		if b.has("sdd.version") {
			if out.Before = b.version(); out.Before > Version {
				b.fail(newer(out.Before))
			}
		}
		for _, sql := range migrations[min(out.Before, Version):] {
			b.script(sql)
		}
		b.run("update sdd.version set version = $1", nil, Version)
		out.Why = b.initVectors()
		out.Vectors = out.Why == ""
	})
	return out, err
}

// initVectors makes the part of the schema that has vectors, unless it is there. why is the reason when it cannot.
func (b *batch) initVectors() (why string) {
	if b.has("sdd.vector") {
		return ""
	}
	why = "the server has no extension pgvector"
	b.run("select from pg_available_extensions where name = 'vector'", func([][]byte) { why = "" })
	if why != "" {
		return why
	}
	b.run("savepoint vectors", nil)
	b.script(vectorSchema)
	if pg, ok := errors.AsType[*pgconn.PgError](b.err); ok && pg.Code == stateDenied {
		b.err = nil
		b.run("rollback to savepoint vectors", nil)
		return "this role may not make pgvector: a superuser runs create extension vector in the database, then run sdd hub init again"
	}
	return ""
}

func (b *batch) has(table string) (there bool) {
	b.run("select to_regclass($1) is not null", func(v [][]byte) { there = v[0][0] == 1 }, table)
	return there
}

func (b *batch) version() (n int) {
	b.run("select version from sdd.version", func(v [][]byte) { n = number(v[0]) })
	return n
}

func (b *batch) check() {
	switch n := b.version(); {
	case n > Version:
		b.fail(newer(n))
	case n < Version:
		b.fail(fault.New(fault.Unavailable, "the hub has the schema %d, this program needs %d", n, Version).With("sdd hub init DSN migrates it"))
	}
}

func newer(n int) error {
	return fault.New(fault.Unavailable, "the hub has the schema %d, this program knows %d", n, Version).With("update sdd")
}

// Grant lets a role read a repository.
func (h *Hub) Grant(ctx context.Context, role, repository string) error {
	return h.inTransaction(ctx, "begin", func(b *batch) {
		b.check()
		quoted, id := "", -1
		b.run("select quote_ident(rolname) from pg_roles where rolname = $1", func(v [][]byte) { quoted = string(v[0]) }, role)
		if quoted == "" {
			b.fail(fault.New(fault.NotFound, "the database has no role %q", role).For("role").With("create role … login, then grant again"))
		}
		b.run("select id from sdd.repository where name = $1", func(v [][]byte) { id = number(v[0]) }, repository)
		if id < 0 {
			b.fail(fault.New(fault.NotFound, "the hub has no repository %q", repository).For("repository").With("sdd hub status lists them"))
		}
		tables := "sdd.version, sdd.repository, sdd.record, sdd.posting, sdd.allowed"
		if b.has("sdd.vector") {
			tables += ", sdd.vector"
		}
		b.run("grant usage on schema sdd to "+quoted, nil)
		b.run("grant select on "+tables+" to "+quoted, nil)
		b.run("insert into sdd.allowed values ($1::text::name, $2) on conflict do nothing", nil, role, id)
	})
}
