package classify

import (
	"strings"
	"testing"
)

func TestImpact(t *testing.T) {
	for _, c := range []struct{ want, content string }{
		// the examples of the definition
		{"low", "Use const over let when possible"},
		{"medium", "This hook requires cleanup"},
		{"high", "All API calls go through gateway"},
		{"critical", "Auth token expires after 1 hour"},

		// negation, guards, plans
		{"medium", "The cursor does not expire."},
		{"medium", "The retry wrapper prevents crashes."},
		{"critical", "Run the check first to prevent crashes."},
		{"medium", "The import runs without data loss."},
		{"critical", "The import without a backup means data loss."},
		{"medium", "The session token never expires."},
		{"high", "We decided to delete the old records."},

		// questions say nothing
		{"low", "Does the auth token expire?"},
		{"low", "Should all API calls go through the gateway?"},
		{"critical", "Does the auth token expire? Yes, the auth token expires after an hour."},

		// nothing to go by
		{"medium", ""},
		{"medium", "Paths are joined with a slash."},
		{"medium", "日本語の文。"},

		// other languages
		{"critical", "Ohne VPN schlägt jeder Build fehl."},
		{"critical", "El certificado caduca en marzo."},
		{"critical", "Токен истекает через час."},
		{"low", "Es más cómodo usar el atajo de teclado para formatear."},

		// one of a kind for each way to say it
		{"low", "I find it clearer to name the receiver after the type's first letter."},
		{"low", "There's a nice cheat sheet for the query language on the wiki."},
		{"low", "Ctrl-R searches the history in the REPL."},
		{"low", "Prefer `switch` to long if-else chains."},
		{"low", "`git log --graph` makes the branches easier to follow."},
		{"low", "We usually write dates in comments as ISO, but nobody checks."},
		{"low", "It would be nice to have an icon in the sidebar."},
		{"low", "The variable is called `foo2` for historical reasons."},
		{"low", "Comments could be a bit shorter in the parser."},
		{"low", "Consider grouping constants at the top of the file."},
		{"low", "The dark theme looks a bit off on old monitors."},
		{"low", "You may also run the tests from the IDE."},
		{"low", "The project used to be called Falcon, hence the prefix."},
		{"low", "Tabs or spaces: the team doesn't care as long as the formatter ran."},
		{"low", "An emoji in the commit title is fine."},
		{"low", "Maybe rename the `misc` folder some day."},
		{"low", "Single quotes read a little nicer in templates."},
		{"low", "`bat` is a nicer `cat` for reviewing fixtures."},
		{"low", "The README has a typo in the second paragraph."},
		{"low", "Using `??` over `||` here is mostly a question of style."},
		{"medium", "`Intl.NumberFormat` must be created outside the loop because it is expensive."},
		{"medium", "The upload widget returns `undefined` when the user cancels, check for it."},
		{"medium", "Call `super.onCreate` first in the activity."},
		{"medium", "Dates from the legacy API have no time zone; treat them as Europe/Berlin."},
		{"medium", "`Array.sort` compares as strings unless a comparator is given."},
		{"medium", "Pass `--legacy-peer-deps` when adding a package to the old dashboard."},
		{"medium", "The CSV import trims whitespace but keeps empty columns."},
		{"medium", "`fetch` doesn't reject on HTTP 500, check `res.ok`."},
		{"medium", "React Query retries three times by default; set `retry: false` in forms."},
		{"medium", "Use `ON DELETE CASCADE` for the join table."},
		{"medium", "When a form has files, send multipart and not JSON."},
		{"medium", "The date library counts weeks from Monday."},
		{"medium", "Register the handler before calling `listen`."},
		{"medium", "`setState` is asynchronous, read the value in the callback."},
		{"medium", "The price field is nullable for drafts."},
		{"medium", "Sort by id as a second key to get stable pagination."},
		{"medium", "The linter ignores files ending with `.gen.go`."},
		{"medium", "Close the iterator, or the connection isn't returned to the pool."},
		{"medium", "`strings.Title` is deprecated, take `cases.Title`."},
		{"medium", "The tooltip needs a wrapper span around disabled buttons."},
		{"high", "Domain code must not import anything from `infrastructure/`."},
		{"high", "Every write goes to the primary and reads are served from replicas, so a read right after a write can be stale."},
		{"high", "The frontend never calls microservices directly, it uses the BFF."},
		{"high", "All feature flags are evaluated on the server; the client just receives the results."},
		{"high", "Each bounded context has its own database and publishes events for the rest."},
		{"high", "The plugin API is the only way for extensions to reach the editor core."},
		{"high", "We keep money as integers in minor units across all services."},
		{"high", "Business logic is in use cases, controllers only translate HTTP."},
		{"high", "Configuration is read once at start-up in `config.Load` and passed down; packages must not read the environment themselves."},
		{"high", "Jobs are idempotent by design because the queue delivers at least once."},
		{"high", "The mobile apps share one Kotlin Multiplatform module for networking and persistence."},
		{"high", "Authorisation decisions are made by the policy engine, not in handlers."},
		{"high", "Protobuf files in `proto/` define the contract between teams; breaking changes need a new package version."},
		{"high", "We are moving from a monolith to modules; new code goes to `modules/<name>`, each with its own public API."},
		{"high", "The event store is append-only and all read models can be rebuilt from it."},
		{"high", "State is kept in the URL where possible and in the store otherwise; components stay stateless."},
		{"high", "Only the scheduler writes to the jobs table."},
		{"high", "Our SDKs are generated from the OpenAPI file, hand-written clients are not accepted."},
		{"high", "The rendering thread never touches the network; it gets snapshots from the sync thread."},
		{"high", "Multi-tenancy is by schema: the tenant comes from the host name."},
		{"critical", "Never run `rake db:reset` on the shared staging box; it drops everybody's data."},
		{"critical", "The signing certificate lapses on 3 March and after that no iOS build can be uploaded."},
		{"critical", "Set `GOPRIVATE` before fetching modules, otherwise every CI run fails with a 410 from the proxy."},
		{"critical", "Rolling back past revision 42 is impossible since the column was dropped."},
		{"critical", "Do not merge while the freeze label is on: the release branch is cut from main automatically and broken commits go straight to customers."},
		{"critical", "The webhook secret is checked in `verify()`; skipping it lets anyone forge events."},
		{"critical", "If two consumers share a group id the second one steals the partitions and messages get processed twice, charging customers double."},
		{"critical", "`terraform destroy` in infra/live removes the production VPC without asking."},
		{"critical", "Node 16 images no longer exist in the registry, so builds on old branches can't start."},
		{"critical", "OAuth refresh tokens are single use; a retry with the old one logs the user out everywhere."},
		{"critical", "The staging database is refreshed from production every night and manual rows are wiped."},
		{"critical", "Uploading a file larger than 2 GB takes the API pod out of memory."},
		{"critical", "Changing the primary key type needs a full table lock and blocks all writes for about 40 minutes."},
		{"critical", "Without the feature toggle `legacy_auth` nobody can log in from the mobile app."},
		{"critical", "GitHub's token for the release bot has to be renewed every 90 days or publishing stops."},
		{"critical", "The migration must be applied in two steps, a single step locks the orders table and brings checkout to a halt."},
		{"critical", "An unbounded recursion in the serializer kills the worker on cyclic input."},
		{"critical", "pods in the `infra` namespace are evicted when the disk reaches 85 %, and the whole cluster DNS goes with them"},
		{"critical", "SQL migrations that were already applied must not be edited; Flyway refuses to start on checksum mismatch."},
		{"critical", "Any user can read any invoice by guessing the id, the ownership check is missing in `GET /invoices/:id`."},
	} {
		if got := Impact(c.content); got.Value != c.want {
			t.Errorf("Impact(%q) = %+v, want %s", c.content, got, c.want)
		}
	}
}

func TestImpactShowsItsRule(t *testing.T) {
	for content, want := range map[string]string{
		"Auth token expires after 1 hour":  `expires: "token", "expires"`,
		"This hook requires cleanup":       `requires: "requires"`,
		"All API calls go through gateway": `everything goes one way: "all", "go", "through"`,
		"Use const over let when possible": `preference: "when", "possible"`,
		"Is it so?":                        `asks a question`,
		"Paths have slashes":               `nothing speaks for another level`,
	} {
		if got := Impact(content); got.Rule != want {
			t.Errorf("Impact(%q).Rule = %s, want %s", content, got.Rule, want)
		}
	}
	// The words of a rule are words of the text.
	for _, content := range sample {
		for _, v := range []Verdict{Impact(content), Category(content, nil)} {
			for i, w := range strings.Split(v.Rule, `"`) {
				if i%2 == 1 && !strings.Contains(strings.ToLower(content), w) && w != "not" && w != "can" && w != "will" {
					t.Errorf("%q is not in %q", w, content)
				}
			}
		}
	}
}
