package classify

import "testing"

func TestCategory(t *testing.T) {
	for _, c := range []struct{ want, content string }{
		// the examples of the definition
		{"Architecture", "rehype requires explicit config for GFM"},
		{"Architecture", "All API routes defined in `src/routes/`"},
		{"Testing", "Tests use Vitest, not Jest"},
		{"Testing", "All test files should use .test.ts extension"},
		{"API", "This API requires authentication header"},
		{"Architecture", "This module uses dependency injection"},
		{"Errors", "This error means X, fix with Y"},

		// nothing to go by
		{"General", ""},
		{"General", "日本語の文。"},
		{"General", "It is what it is."},

		{"Architecture", "Domain code must not import anything from `infrastructure/`."},
		{"Architecture", "Every screen is a feature module with its own navigation graph."},
		{"Architecture", "The frontend never calls microservices directly, it uses the BFF."},
		{"Architecture", "Config loading sits in internal/config, nothing else reads the environment."},
		{"Architecture", "Background jobs run in a separate process started from `cmd/worker`."},
		{"Architecture", "Shaders are under assets/shaders and are compiled into the bundle at build time."},
		{"Architecture", "Only the repository layer talks to the database."},
		{"Architecture", "The plugin host and the editor communicate over a message channel."},
		{"Architecture", "Business rules are in use cases; controllers stay thin."},
		{"Architecture", "There are two databases: one for accounts, another for events."},
		{"Conventions", "Branches are called feature/<ticket>-<words>."},
		{"Conventions", "Return early instead of nesting ifs."},
		{"Conventions", "Use named exports only."},
		{"Conventions", "SQL keywords in upper case, identifiers in snake_case."},
		{"Conventions", "Boolean props start with is or has."},
		{"Conventions", "Two spaces for indentation in YAML."},
		{"Conventions", "Error strings start lower case and have no punctuation."},
		{"Conventions", "We write German comments in the accounting part for legal reasons."},
		{"Conventions", "File names are kebab-case except for React components."},
		{"Conventions", "Prefer guard clauses; avoid else after return."},
		{"Testing", "Fake the clock with `vi.useFakeTimers()`, and restore it afterwards."},
		{"Testing", "Table-driven cases go in a slice called `tests`."},
		{"Testing", "Run `make db-test-up` before the integration suite."},
		{"Testing", "Visual regressions are compared against images in `__screenshots__`."},
		{"Testing", "Never sleep in a spec, wait for the element instead."},
		{"Testing", "Use factories rather than YAML fixtures."},
		{"Testing", "The contract between mobile and backend is verified by Pact in CI."},
		{"Testing", "Benchmarks need `-run=^$` or the tests run as well."},
		{"Testing", "Coverage excludes generated files."},
		{"Testing", "Each test gets its own schema and drops it at the end."},
		{"Errors", "`EADDRINUSE` on start: another dev server holds port 3000, kill it."},
		{"Errors", "Getting \"permission denied\" on /var/run/docker.sock means that you are not in the docker group."},
		{"Errors", "The app crashed on rotation because the fragment had no empty constructor."},
		{"Errors", "NullPointerException in PriceMapper came from products without a category."},
		{"Errors", "Login loops forever when the clock of the VM is off."},
		{"Errors", "Builds fail with exit code 137 when the runner has less than 4 GB."},
		{"Errors", "If the migration says \"relation already exists\", drop the leftover temp table."},
		{"Errors", "The blank page after deploy was a stale service worker; unregister it."},
		{"Errors", "KeyError: 'DATABASE_URL' → copy .env.example to .env first."},
		{"Errors", "Infinite re-render in the cart: the selector returned a new array each time."},
		{"API", "List endpoints return at most 100 items, follow `next` for more."},
		{"API", "Timestamps are sent as epoch milliseconds."},
		{"API", "POST /orders answers 202 and the result comes by webhook."},
		{"API", "The GraphQL mutation `addItem` wants the variant id and not the product id."},
		{"API", "Send the API key in `X-Api-Key`; query strings are rejected."},
		{"API", "gRPC deadlines must be set by the caller."},
		{"API", "Partial updates use PATCH with JSON Merge Patch."},
		{"API", "A 409 means the version in If-Match is old."},
		{"API", "The callback URL has to be registered with the identity provider."},
		{"Dependencies", "Upgrade to Angular 17 needs Node 18."},
		{"Dependencies", "`sharp` ships binaries per platform, install with --platform=linux for the image."},
		{"Dependencies", "pandas 2 removed `append`, use concat."},
		{"Dependencies", "We fork `react-grid` because upstream is unmaintained."},
		{"Dependencies", "Renovate opens PRs for minor updates on Mondays."},
		{"Dependencies", "The protobuf plugin must match the runtime's version."},
		{"Dependencies", "`left-pad` is not to be added again."},
		{"Dependencies", "Guava and the Android Gradle plugin clash on `listenablefuture`."},
		{"Dependencies", "lodash-es is used for tree shaking instead of lodash."},
		{"Dependencies", "Terraform provider aws is held below 5."},
		{"Performance", "Rendering 10k rows froze the tab, virtualise the list."},
		{"Performance", "The query planner ignores the index when the column is cast."},
		{"Performance", "Start-up went down to 300 ms after lazy loading the charts."},
		{"Performance", "String concatenation in the loop allocates; use a builder."},
		{"Performance", "Gzip on the proxy halves the transfer."},
		{"Performance", "Too many small S3 reads; range requests of 8 MB work best."},
		{"Performance", "Compiling takes 12 minutes without ccache."},
		{"Performance", "Debounce the search or the server gets a request per keystroke."},
		{"Performance", "GC pauses vanished once we reused the slices."},
		{"Performance", "Image decoding off the main thread keeps scrolling at 60 fps."},
		{"General", "The release party is on the roof."},
		{"General", "Sales needs two weeks' notice for price changes."},
		{"General", "Ask Mira for access to the ad account."},
		{"General", "Our fiscal year starts in October."},
		{"General", "Support reads the tickets in the morning only."},
		{"General", "The French customer wants an extra signature on the contract."},
		{"General", "Retro is every other Thursday."},
		{"General", "Hardware for the lab has to be ordered by the end of the quarter."},
		{"General", "The word \"lot\" means a shipment for the warehouse people."},
		{"General", "Screens in the showroom are updated by hand."},
	} {
		if got := Category(c.content, nil); got.Value != c.want {
			t.Errorf("Category(%q) = %+v, want %s", c.content, got, c.want)
		}
	}
}

func TestCategoriesOfTheProject(t *testing.T) {
	own := map[string][]string{
		"Billing":  {"invoice", "credit note", "VAT"},
		"Hardware": {"printer", "c++", "src/drivers/"},
		"Legal":    {"invoice", ""},
		"Empty":    nil,
	}
	for _, c := range []struct{ want, rule, content string }{
		{"Billing", `word of this project's own: "invoices"`, "Tests of invoices use Vitest."},
		{"Billing", `word of this project's own: "credit", "notes"`, "Errors in Credit Notes are shown in red."},
		{"Billing", `word of this project's own: "invoice", "vat"`, "The VAT of an invoice is rounded per line."},
		{"Hardware", `word of this project's own: "c++"`, "The C++ part has its own tests."},
		{"Hardware", `word of this project's own: "src/drivers/"`, "Everything in `src/drivers/` is generated."},
		{"Testing", "", "Tests use Vitest, not Jest"},
		{"General", "", "A note to our creditors."},
	} {
		got := Category(c.content, own)
		if got.Value != c.want || c.rule != "" && got.Rule != c.rule {
			t.Errorf("Category(%q) = %+v, want %s (%s)", c.content, got, c.want, c.rule)
		}
	}
	if got := Category("Tests use Vitest", map[string][]string{"Testing": {"vitest"}}).Value; got != "Testing" {
		t.Errorf("words for a category that exists: %s", got)
	}
}
