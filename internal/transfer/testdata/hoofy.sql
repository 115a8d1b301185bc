-- The tables as Hoofy makes them (internal/memory/store.go), and what its tools write.
PRAGMA journal_mode = WAL;
CREATE TABLE IF NOT EXISTS sessions (
			id         TEXT PRIMARY KEY,
			project    TEXT NOT NULL,
			directory  TEXT NOT NULL,
			started_at TEXT NOT NULL DEFAULT (datetime('now')),
			ended_at   TEXT,
			summary    TEXT
		);
CREATE TABLE IF NOT EXISTS observations (
			id              INTEGER PRIMARY KEY AUTOINCREMENT,
			session_id      TEXT    NOT NULL,
			type            TEXT    NOT NULL,
			title           TEXT    NOT NULL,
			content         TEXT    NOT NULL,
			tool_name       TEXT,
			project         TEXT,
			scope           TEXT    NOT NULL DEFAULT 'project',
			topic_key       TEXT,
			normalized_hash TEXT,
			revision_count  INTEGER NOT NULL DEFAULT 1,
			duplicate_count INTEGER NOT NULL DEFAULT 1,
			last_seen_at    TEXT,
			created_at      TEXT    NOT NULL DEFAULT (datetime('now')),
			updated_at      TEXT    NOT NULL DEFAULT (datetime('now')),
			deleted_at      TEXT,
			FOREIGN KEY (session_id) REFERENCES sessions(id)
		);
CREATE INDEX IF NOT EXISTS idx_obs_session  ON observations(session_id);
CREATE VIRTUAL TABLE IF NOT EXISTS observations_fts USING fts5(
			title,
			content,
			tool_name,
			type,
			project,
			content='observations',
			content_rowid='id'
		);
CREATE TABLE IF NOT EXISTS user_prompts (
			id         INTEGER PRIMARY KEY AUTOINCREMENT,
			session_id TEXT    NOT NULL,
			content    TEXT    NOT NULL,
			project    TEXT,
			created_at TEXT    NOT NULL DEFAULT (datetime('now')),
			FOREIGN KEY (session_id) REFERENCES sessions(id)
		);
CREATE TABLE IF NOT EXISTS relations (
			id         INTEGER PRIMARY KEY AUTOINCREMENT,
			from_id    INTEGER NOT NULL,
			to_id      INTEGER NOT NULL,
			type       TEXT    NOT NULL DEFAULT 'relates_to',
			note       TEXT,
			created_at TEXT    NOT NULL DEFAULT (datetime('now')),
			FOREIGN KEY (from_id) REFERENCES observations(id) ON DELETE CASCADE,
			FOREIGN KEY (to_id)   REFERENCES observations(id) ON DELETE CASCADE
		);
CREATE TRIGGER obs_fts_insert AFTER INSERT ON observations BEGIN
				INSERT INTO observations_fts(rowid, title, content, tool_name, type, project)
				VALUES (new.id, new.title, new.content, new.tool_name, new.type, new.project);
			END;
INSERT INTO sessions (id, project, directory, started_at, ended_at, summary) VALUES
 ('manual-save', 'demo', '', '2026-03-01 09:00:00', NULL, NULL),
 ('s-1', 'demo', '/home/ana/demo', '2026-03-02 09:00:00', '2026-03-02 10:00:00', 'Chose the database');
INSERT INTO observations (session_id, type, title, content, tool_name, project, scope, topic_key, revision_count, created_at, updated_at, deleted_at) VALUES
 ('manual-save', 'explore', 'Session storage', '## Goals

Log in once a week.

## Constraints

- no new services
- answers within 20 ms

## Decisions

PostgreSQL, see the decision', NULL, 'demo', 'project', 'explore/session-storage', 3, '2026-03-01 09:10:00', '2026-03-02 09:30:00', NULL),
 ('s-1', 'decision', 'Sessions in PostgreSQL', '**What**: Sessions live in the main database
**Why**: one service less to run
**Where**: internal/session
**Learned**: the table needs an index on expires_at', 'mem_save', 'demo', 'project', 'decision/sessions', 1, '2026-03-02 09:20:00', '2026-03-02 09:20:00', NULL),
 ('s-1', 'bugfix', 'Fixed N+1 in the user list', '**What**: joined instead of a query a row
**Why**: 400 queries a page', 'mem_save', 'demo', 'project', NULL, 1, '2026-03-02 09:25:00', '2026-03-02 09:25:00', NULL),
 ('s-1', 'config', 'CI runs on two cores', 'Tests that need more are marked slow.', NULL, '', 'project', NULL, 1, '2026-03-02 09:26:00', '2026-03-02 09:26:00', NULL),
 ('s-1', 'manual', 'Ask Ana about the cache', 'She wrote it.', NULL, 'demo', 'project', NULL, 1, '2026-03-02 09:27:00', '2026-03-02 09:27:00', NULL),
 ('s-1', 'discovery', 'I like tabs', 'Personal taste.', NULL, 'demo', 'personal', NULL, 1, '2026-03-02 09:28:00', '2026-03-02 09:28:00', NULL),
 ('s-1', 'session_summary', 'Session summary', 'Goal: choose a database', NULL, 'demo', 'project', NULL, 1, '2026-03-02 10:00:00', '2026-03-02 10:00:00', NULL),
 ('s-1', 'decision', 'Use Redis', 'For sessions.', NULL, 'demo', 'project', NULL, 1, '2026-03-01 10:00:00', '2026-03-01 10:00:00', '2026-03-02 09:19:00'),
 ('s-1', 'learning', 'Elsewhere', 'Of another project.', NULL, 'other', 'project', NULL, 1, '2026-03-01 10:00:00', '2026-03-01 10:00:00', NULL),
 ('s-1', 'pattern', 'How the password is read', 'It was @SECRET@ in the log.', NULL, 'demo', 'project', NULL, 1, '2026-03-01 10:01:00', '2026-03-01 10:01:00', NULL),
 ('s-1', 'architecture', 'One database for all', 'No second server.', NULL, 'demo', 'project', NULL, 1, '2026-03-03 10:01:00', '2026-03-03 10:01:00', NULL);
INSERT INTO user_prompts (session_id, content, project, created_at) VALUES ('s-1', 'which database?', 'demo', '2026-03-02 09:01:00');
INSERT INTO relations (from_id, to_id, type) VALUES (2, 1, 'implements'), (2, 11, 'part_of'), (11, 2, 'depends_on');
