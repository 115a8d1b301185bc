package classify

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// contradictions are pairs of an older learning and a newer one that takes it back.
var contradictions = [][2]string{
	{"Use yarn for installing packages.", "Use pnpm for installing packages."},
	{"The build needs Node 18.", "The build needs Node 20."},
	{"Use Node 16 in CI.", "CI uses Node 22."},
	{"The session timeout is 30 minutes.", "The session timeout is 2 hours."},
	{"Caching is enabled for the catalog page.", "Caching is disabled for the catalog page."},
	{"Do not use class components.", "Class components are allowed again."},
	{"The API requires a trailing slash.", "The API does not require a trailing slash."},
	{"Store dates as UTC.", "Don't store dates as UTC, use the zone of the shop."},
	{"Logs are written to stdout.", "Logs are not written to stdout any more."},
	{"Use double quotes in JavaScript.", "Use single quotes in JavaScript."},
	{"Indent with tabs.", "Indent with spaces."},
	{"Use tabs, not spaces.", "Use spaces, not tabs."},
	{"The linter must pass before merging.", "The linter need not pass before merging."},
	{"`parseConfig` throws on unknown keys.", "`parseConfig` no longer throws on unknown keys."},
	{"Feature branches are merged with rebase.", "Feature branches are merged with squash."},
	{"Mobile uses REST for the feed.", "Mobile uses GraphQL for the feed."},
	{"Never mock the database in tests.", "Always mock the database in tests."},
	{"The page size is 50.", "The page size is 100."},
	{"Error messages are translated on the server.", "Error messages are no longer translated on the server."},
	{"Imports are sorted by the formatter.", "Imports are not sorted by the formatter."},
	{"Passwords are hashed with bcrypt.", "Passwords are hashed with argon2 instead of bcrypt."},
	{"Use environment variables for secrets.", "Never use environment variables for secrets, read them from Vault."},
	{"Docs are built with Sphinx.", "Docs are built with MkDocs."},
	{"The staging cluster is in Frankfurt.", "The staging cluster is in Dublin."},
	{"Tests run in parallel by default.", "Tests do not run in parallel by default."},
	{"Emails are sent through SendGrid.", "Emails are sent through Postmark."},
	{"`any` is forbidden.", "`any` is allowed."},
	{"The worker retries 3 times.", "The worker retries 5 times."},
	{"Use the shared logger in handlers.", "The shared logger must not be used in handlers."},
	{"The mobile build needs Xcode 15.", "The mobile build needs Xcode 16."},
	{"Audit events are kept for 90 days.", "Audit events are kept for 1 year."},
	{"Call `flush()` at the end of the request.", "Do not call `flush()` at the end of the request, the middleware does."},
	{"The dashboard polls every 10 seconds.", "The dashboard polls every 60 seconds."},
	{"`Cart.total` includes tax.", "`Cart.total` does not include tax."},
	{"Rate limiting is done by nginx.", "Rate limiting is done by Envoy."},
	{"Payments are handled by Stripe.", "Payments are handled by Adyen, no longer by Stripe."},
	{"The admin area is behind VPN.", "The admin area is not behind VPN."},
	{"Ids are exposed as integers.", "Ids are never exposed as integers."},
	{"Snapshots are committed.", "Snapshots are not committed, they are made in CI."},
	{"Use LF line endings.", "Use CRLF line endings."},
	{"Always run tests with --all.", "Never run tests with --all."},
	{"CSS is written with BEM names.", "CSS is not written with BEM names, use modules."},
}

// compatible are pairs that are both true.
var compatible = [][2]string{
	{"Use Jest for unit tests.", "Use Playwright for end-to-end tests."},
	{"Config files live in `config/`.", "Config files are validated at start-up."},
	{"The build needs Node 18.", "The build needs 4 GB of memory."},
	{"Routes live in `src/routes`.", "Routes for admins live in `src/routes/admin`."},
	{"Routes live in `src/routes`.", "Admin pages live in `src/admin`."},
	{"Do not use `any`.", "Use `any` only in test helpers."},
	{"Do not use mocks.", "Use mocks for the payment client."},
	{"Never push to main.", "Pushing to main is fine for the release bot."},
	{"The timeout of reads is 5 s.", "The timeout of writes is 10 s."},
	{"Use UTC for timestamps.", "Timestamps must be in UTC."},
	{"Use `useMemo` for lists.", "Don't use `useMemo` for plain values."},
	{"Redis is used for sessions.", "Redis is used for rate limits."},
	{"Redis caches pages.", "Redis does not persist to disk."},
	{"Always run the linter.", "Never skip the linter."},
	{"Use Postgres for orders.", "Use Elasticsearch for search."},
	{"The job runs at 02:00.", "The job takes 20 minutes."},
	{"Retries are enabled for GET requests.", "Retries are disabled for POST requests."},
	{"`auth.go` needs the secret at start.", "`auth.go` does not log the user name."},
	{"Use slog for logging.", "slog is used for all logging."},
	{"Prefer const.", "Avoid var."},
	{"Do not commit `.env`.", "Commit `.env.example`."},
	{"The token expires after 1 hour.", "The token expires after 60 minutes."},
	{"Node 18 breaks the snapshot.", "Node 20 breaks the snapshot."},
	{"Error 17 means that the file is missing.", "Error 18 means that the disk is full."},
	{"Use Kafka for events.", "Use Avro for events."},
	{"The CLI is written in Go.", "The UI is written in TypeScript."},
	{"Add tests for every bug.", "Do not add tests for generated code."},
	{"Use feature flags for new pages.", "Feature flags are removed after two releases."},
	{"Maybe use Redis for locks.", "Do not use Redis for locks."},
	{"Should we use Redis for locks?", "Do not use Redis for locks."},
	{"We used to use Redis for locks.", "Do not use Redis for locks."},
	{"Cache responses of the catalog.", "Do not cache responses with cookies."},
	{"Unit tests use sqlite.", "Integration tests use Postgres."},
	{"All files need a licence header.", "Generated files don't need a licence header."},
	{"Use tabs in Go.", "Use two spaces in YAML."},
	{"The gateway requires a token.", "The health check does not require a token."},
	{"Imports are sorted.", "Exports are not sorted."},
	{"Every service has a Dockerfile.", "The Dockerfile of the worker is multi-stage."},
	{"The parser does not support comments.", "Comments aren't supported by the parser."},
	{"Avoid global state.", "Don't use global state."},
	{"Close the client after use.", "The client is not safe for concurrent use."},
	{"Use React Query for server state.", "Use Zustand for client state."},
	{"The form requires a name.", "The form requires an email."},
	{"Register the plugin in `app.py`.", "Register the plugin in `setup.cfg`."},
	{"`deploy.sh` needs AWS credentials.", "`deploy.sh` no longer builds the image."},
	{"Use `make test` before pushing.", "Use `make lint` before pushing."},
	{"The seeds are in `db/seeds`.", "The seeds are not run in production."},
	{"Run tests with -race.", "Run benchmarks without -race."},
	{"Use async handlers in the API.", "Sync handlers block the event loop."},
	{"Tests are in `tests/`.", "Fixtures are in `tests/fixtures`."},
	{"Call `init()` before `start()`.", "Call `configure()` before `start()`."},
	{"Use Docker for the database.", "Use Docker for the queue."},
	{"Sessions are stored in Redis.", "Carts are stored in Redis."},
	{"Sessions are stored in Redis.", "Sessions are encrypted in Redis."},
	{"Tests run on Linux.", "Tests run on Windows."},
	{"The importer reads CSV.", "The importer reads XML."},
	{"The API returns JSON.", "The API returns 404 for unknown ids."},
	{"Build images with Docker.", "Sign images with cosign."},
	{"Use ESLint for JavaScript.", "Use Ruff for Python."},
	{"The header contains the tenant.", "The header contains the trace id."},
	{"Reads go to the replica.", "Writes go to the primary."},
	{"Use `errgroup` for fan-out.", "Do not use `errgroup` without a context."},
	{"Users can delete their own posts.", "Users cannot delete posts of others."},
	{"Log with slog.", "Log with slog at debug level."},
	{"The cache holds 1000 entries.", "The cache holds entries for 5 minutes."},
	{"Deploys happen on Tuesdays.", "Deploys do not happen in December."},
	{"The worker needs Redis.", "The worker does not need Postgres."},
	{"Use enums for states.", "Use strings for labels."},
	{"`Order` has a status.", "`Order` has no currency."},
	{"Commit the lock file.", "Do not commit `node_modules`."},
	{"Strings are compared case-insensitively.", "File names are compared case-sensitively."},
	{"React is pinned to 18.", "Node is pinned to 20."},
	{"In Safari the date input is disabled.", "In Chrome the date input is enabled."},
	{"Use SSR for the shop.", "Use SSR for the blog."},
	{"Use Postgres.", "Use connection pooling with Postgres."},
	{"Never log tokens.", "Always log request ids."},
	{"Always close the file.", "Never close stdout."},
	{"The retry helper is in `pkg/retry`.", "The retry helper is generic."},
	{"Errors are wrapped.", "Errors are logged once."},
	{"Avoid `panic` in libraries.", "`panic` is fine in main."},
	{"Swagger docs are at /docs.", "Swagger docs are at /api/docs in the old version."},
	{"The default branch is main.", "The default branch is protected."},
	{"Use the staging key in tests.", "Use the staging URL in tests."},
	{"Only admins see invoices.", "Invoices are not shown in the app."},
	{"Pin GitHub Actions by hash.", "GitHub Actions are not cached."},
	{"The exporter writes UTF-8.", "The exporter does not write a BOM."},
	{"Keep functions short.", "Keep names short."},
	{"Run the seed script once.", "Do not run the seed script twice."},
	{"The pool size is 10.", "The page size is 50."},
	{"Use grid for pages.", "Use flexbox for toolbars."},
	{"Use `zod` for forms.", "Use `yup` in the legacy forms only."},
	{"Requests are signed with HMAC.", "Requests are rate limited with tokens."},
	{"Use table tests.", "Use golden files for the renderer."},
	{"Views are generated.", "Views are not committed."},
	{"Dark mode is enabled by the user.", "High contrast is disabled by default."},
	{"The job is idempotent.", "The job is not parallel."},
	{"`User.name` is required.", "`User.nick` is optional."},
	{"Version 2 of the API requires a token.", "Version 1 of the API does not require a token."},
	{"Upload to S3.", "Upload to the CDN after that."},
	{"Use Go 1.22 features.", "Go 1.21 is not supported by the linter."},

	{"Never edit files in `bin/` by hand.", "Never edit files in `website/` by hand."},
	{"Never edit files in bin/ by hand.", "Never edit files in website/ by hand."},
	{"Run tests with --all.", "Never run tests with --race."},
	{"Requests must not take 2 seconds.", "Requests must not take 5 seconds."},
	{"Always squash.", "Never squash on Fridays."},
	{"When offline, the app does not sync.", "The app syncs every hour."},
	{"Use Redis for locks.", "Do not use Redis for locks, except in tests."},
	{"Because the API is slow, use the cache.", "The API is not slow."},
	{"Logging was enabled in 2019.", "Logging is disabled."},
	{"", "Do not use Redis."},
	{"Redis", "Not Redis"},
	{"Number 7.", "Number 8."},
	{"The web app listens on port 8080.", "The admin app listens on port 9090."},
	{"Uploads are retried 5 times.", "Downloads are retried 3 times."},
	{"Alertmanager listens on 9093 for HTTP and 9094 for gossip.", "Alertmanager listens on 9094 for gossip and 9093 for HTTP."},
	{"Issue 37 is fixed.", "Issue 38 is fixed."},
	{"Node 18 is supported.", "Node 20 is supported."},
	{"Step 2 of the release runs the linter.", "Step 3 of the release runs the linter."},
}

func TestContradicts(t *testing.T) {
	for _, c := range contradictions {
		if _, ok := Contradicts(c[0], c[1]); !ok {
			t.Errorf("no contradiction between %q and %q", c[0], c[1])
		}
	}
	for _, c := range compatible {
		if e, ok := Contradicts(c[0], c[1]); ok {
			t.Errorf("%q contradicts %q: %+v", c[1], c[0], e)
		}
	}
}

func TestContradictionShowsItsEvidence(t *testing.T) {
	for _, c := range []struct {
		older, newer string
		want         Contradiction
	}{
		{"The server listens on port 8080.", "It is new. The server listens on port 9090.",
			Contradiction{"listen port server", "The server listens on port 8080", "The server listens on port 9090", "one value / another value"}},
		{"Passwords are hashed with bcrypt.", "Passwords are hashed with argon2id.",
			Contradiction{"hash password", "Passwords are hashed with bcrypt", "Passwords are hashed with argon2id", "one thing / another thing for the same"}},
		{"`time.Now` is allowed in domain code.", "`time.Now` is refused in domain code.",
			Contradiction{"code domain time.now", "`time.Now` is allowed in domain code", "`time.Now` is refused in domain code", "allowed / refused"}},
		{"Always run the linter before a push.", "Never run the linter before a push.",
			Contradiction{"befor linter push", "Always run the linter before a push", "Never run the linter before a push", "allowed / refused"}},
		{"The timeout is 1 hour", "The timeout is 90 minutes",
			Contradiction{"timeout", "The timeout is 1 hour", "The timeout is 90 minutes", "one value / another value"}},
		{"Сервер слушает порт 8080", "Сервер слушает порт 9090",
			Contradiction{"порт сервер слуша", "Сервер слушает порт 8080", "Сервер слушает порт 9090", "one value / another value"}},
	} {
		got, ok := Contradicts(c.older, c.newer)
		if !ok {
			t.Errorf("no contradiction between %q and %q", c.older, c.newer)
		} else if d := cmp.Diff(c.want, got); d != "" {
			t.Errorf("%q, %q (-want +got)\n%s", c.older, c.newer, d)
		}
	}
}

func TestPreparedClaimsSayTheSame(t *testing.T) {
	for _, c := range contradictions {
		want, _ := Contradicts(c[0], c[1])
		older, newer := Prepare(c[0]), Prepare(c[1])
		for range 2 { // a claim does not wear out
			if got, ok := newer.Contradicts(older); !ok || got != want {
				t.Errorf("%q, %q: %+v, want %+v", c[0], c[1], got, want)
			}
		}
	}
}
