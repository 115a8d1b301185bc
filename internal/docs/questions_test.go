package docs

import (
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// questions are what people ask in plain words: a tree, the question, and the beginnings of the addresses that answer
// it.
var questions = [][3]string{
	{"Python", "how do I run another program and capture its output", "library/subprocess.html|library/asyncio-subprocess.html"},
	{"Python", "how can I sort a list of dictionaries by a key", "howto/sorting.html|library/operator.html|library/functions.html#sorted|library/stdtypes.html#list.sort|faq/programming.html"},
	{"Python", "why are default values shared between function calls", "faq/programming.html#why-are-default|tutorial/controlflow.html#default|reference/compound_stmts.html#function"},
	{"Python", "what is the difference between shallow and deep copy", "library/copy.html"},
	{"Python", "how to measure execution time of small code snippets", "library/timeit.html|library/profile.html|library/time.html#time.perf"},
	{"Python", "create a temporary directory that is removed automatically", "library/tempfile.html"},
	{"Python", "how do I write a decorator that keeps the docstring", "library/functools.html#functools.wraps|library/functools.html#functools.update_wrapper"},
	{"Python", "send an email with an attachment", "library/email.examples.html|library/email|library/smtplib.html"},
	{"Python", "how does the global interpreter lock affect threads", "library/threading.html|c-api/init.html|glossary.html|faq/library.html|library/asyncio-"},
	{"Python", "parse command line arguments with subcommands", "library/argparse.html|howto/argparse.html|library/optparse.html|library/getopt.html"},
	{"Python", "compare two sequences and show the differences", "library/difflib.html"},
	{"Python", "remove trailing whitespace from a string", "library/stdtypes.html#str.rstrip|library/stdtypes.html#str.strip|library/stdtypes.html#str|faq/programming.html#is-there-an-equivalent-to-perl-s-chomp|faq/programming.html"},
	{"Python", "read values from an ini configuration file", "library/configparser.html"},
	{"Python", "how do I make an iterator that repeats elements endlessly", "library/itertools.html"},
	{"Python", "wait for several coroutines to finish at the same time", "library/asyncio-task.html"},
	{"Python", "convert a timestamp to local time", "library/time.html|library/datetime.html"},
	{"Python", "generate cryptographically strong random tokens", "library/secrets.html|library/random.html|library/ssl.html"},
	{"Python", "how are arguments passed, by reference or by assignment", "faq/programming.html|tutorial/controlflow.html"},
	{"Python", "extending python with a C module, reference counting", "extending/|c-api/"},
	{"Python", "round numbers exactly in decimal for money", "library/decimal.html|tutorial/stdlib2.html|library/functions.html#round|tutorial/floatingpoint.html|faq/"},
	{"Django", "how do I reset a forgotten password by email", "topics/auth/default.html|ref/contrib/admin/index.html"},
	{"Django", "how to write tests that send requests to a view", "topics/testing/tools.html|intro/tutorial05.html|topics/testing/advanced.html"},
	{"Django", "protect forms against cross site request forgery", "ref/csrf.html|topics/security.html|howto/csrf.html"},
	{"Django", "serve static files in production", "howto/static-files/|ref/contrib/staticfiles.html|howto/deployment/"},
	{"Django", "run raw SQL and map it to model instances", "topics/db/sql.html"},
	{"Django", "how can I undo a migration", "topics/migrations.html|ref/django-admin.html#django-admin-migrate|ref/migration-operations.html|ref/django-admin.html"},
	{"Django", "add a custom column to the admin change list", "ref/contrib/admin/|intro/tutorial07.html"},
	{"Django", "what happens when an object with foreign keys is deleted", "ref/models/fields.html|topics/db/queries.html|ref/models/querysets.html"},
	{"Django", "cache the output of a single view", "topics/cache.html"},
	{"Django", "translate strings in templates", "topics/i18n/translation.html"},
	{"Django", "upload a file through a form and store it", "topics/http/file-uploads.html|ref/forms/|topics/files.html|ref/files/"},
	{"Django", "log out all sessions when the password changes", "topics/auth/default.html|topics/auth/customizing.html|topics/http/sessions.html"},
	{"Flask", "how do I return JSON from a view", "quickstart|api|patterns/|tutorial"},
	{"Flask", "store uploaded files safely", "patterns/fileuploads"},
	{"Flask", "where is the database connection closed after a request", "patterns/sqlite3|tutorial/database|appcontext|patterns/sqlalchemy"},
	{"Flask", "show a custom page for error 404", "errorhandling|patterns/|api"},
	{"SQLAlchemy", "how to avoid loading related objects one by one", "orm/loading_relationships.html|orm/queryguide|orm/relationship|faq/|orm/tutorial|tutorial/orm_related|orm/collections.html"},
	{"SQLAlchemy", "insert many rows in one statement", "core/|faq/performance.html|tutorial/|orm/persistence_techniques.html|dialects/|orm/session"},
	{"SQLAlchemy", "pool of connections was disconnected by the server", "core/pooling.html|faq/connections.html"},
	{"SQLAlchemy", "composite primary key in declarative mapping", "orm/|faq/ormconfiguration.html|core/"},
	{"pandas", "fill missing values with the previous observation", "user_guide/missing_data.html|reference/api/pandas.|user_guide/timeseries.html|getting_started/"},
	{"pandas", "read a csv file in chunks because it is large", "user_guide/io.html|user_guide/scale.html|reference/api/pandas.read_"},
	{"pandas", "why do I get a setting with copy warning", "user_guide/indexing.html|user_guide/gotchas.html|reference/api/pandas.errors.SettingWithCopy|user_guide/copy_on_write"},
	{"pandas", "group rows and compute several aggregates at once", "user_guide/groupby.html|reference/api/|getting_started/|user_guide/"},
	{"Click", "ask the user for confirmation before going on", "prompts|api|options"},
	{"Click", "take a value from an environment variable", "options|arguments|commands"},
	{"Click", "how to test a command line application", "testing"},
	{"Requests", "how do I set a timeout", "user/quickstart|user/advanced|api"},
	{"Requests", "disable verification of certificates", "user/advanced|api"},
	{"Requests", "upload a file as multipart form data", "user/quickstart|user/advanced|api"},
	{"Jinja", "remove white space around blocks", "templates|api"},
	{"Jinja", "write my own filter in python", "api|extensions|templates"},
	{"Jinja", "loop over a list and know which iteration it is", "templates"},
	{"CMake", "set the C++ standard for a target", "manual/cmake-compile-features|prop_tgt/CXX_|variable/CMAKE_CXX_|command/target_compile_features|guide/|prop_gbl/CMAKE_CXX|prop_tgt/"},
	{"CMake", "download a dependency while configuring", "module/FetchContent|module/ExternalProject|command/file|guide/|command/"},
	{"CMake", "install headers together with the library", "command/install|guide/|prop_tgt/|manual/"},
	{"aiohttp", "keep one client session open for many requests", "client|faq|http_request_lifecycle"},
	{"aiohttp", "limit the size of a request body on the server", "web"},
	{"Celery", "retry a task with an increasing delay", "userguide/tasks|reference/|userguide/"},
	{"Celery", "run a task every day at midnight", "userguide/periodic-tasks|reference/celery.schedules"},
	{"attrs", "make instances immutable", "examples|api|how-does-it-work|glossary|"},
	{"attrs", "check the types of values when an instance is made", "examples|api|init|types|extending"},
	{"cryptography", "derive a key from a password", "hazmat/primitives/key-derivation|fernet"},
	{"cryptography", "sign a message and verify the signature", "hazmat/primitives/asymmetric|x509"},
	{"Werkzeug", "match urls to endpoints", "routing|tutorial|quickstart"},
	{"Werkzeug", "hash a password before it is stored", "utils|"},
	{"Twisted (narrative)", "write a server that echoes what it receives", "core/howto/|core/examples|core/|"},
	{"Sphinx", "write my own extension with a new directive", "development/|extdev/|usage/"},
	{"Sphinx", "link to the documentation of another project", "usage/extensions/intersphinx|usage/|extdev/"},
	{"SciPy", "solve a system of linear equations", "reference/generated/scipy.|tutorial/linalg|reference/linalg|reference/"},
}

// TestQuestions demands an answer from the right page for most questions. A third of them, chosen by their text, was
// not looked at while the rules were made; both parts are told.
func TestQuestions(t *testing.T) {
	dirs := map[string]string{}
	for _, tree := range installedTrees {
		if _, err := os.Stat(filepath.Join(tree.dir, inventoryName)); err == nil {
			dirs[tree.name] = tree.dir
		}
	}
	type part struct{ asked, first, top int }
	var parts [2]part // aside, and not
	readers := map[string]*Reader{}
	cache := os.Getenv("SDD_DOCS_CACHE") // to keep the indexes between runs
	if cache == "" {
		cache = t.TempDir()
	}
	small := "Flask Click Requests Jinja attrs cryptography Werkzeug aiohttp"
	if raceDetector {
		small = "Click Requests attrs Jinja"
	}
	for _, q := range questions {
		dir := dirs[q[0]]
		if dir == "" || os.Getenv("SDD_DOCS_EVAL") == "" && !strings.Contains(small, q[0]) {
			continue // reading all of a large one takes seconds
		}
		if readers[dir] == nil {
			readers[dir] = New(Settings{AnyPath: true, Cache: cache})
			start := time.Now()
			s, err := readers[dir].open(t.Context(), dir)
			if err != nil {
				t.Fatal(err)
			}
			ix, err := s.passages(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			s.close()
			t.Logf("%s: %d passages in %v", q[0], len(ix.Passages), time.Since(start).Round(time.Millisecond))
		}
		of := &parts[1]
		if crc32.ChecksumIEEE([]byte(q[1]))%3 == 0 {
			of = &parts[0]
		}
		of.asked++
		var got []string
		at := -1
		for i, d := range explore(t, readers[dir], dir, q[1], Options{IncludeDocumentation: new(bool)}).Documents {
			got = append(got, fmt.Sprintf("%s %s", d.URI, d.Matched))
			for _, want := range strings.Split(q[2], "|") {
				if strings.HasPrefix(d.URI, want) && at < 0 {
					at = i
				}
			}
		}
		if at == 0 {
			of.first++
		} else if of == &parts[1] {
			t.Logf("%s %q: %s at %d of\n  %s", q[0], q[1], q[2], at, strings.Join(got, "\n  "))
		}
		if at >= 0 {
			of.top++
		}
	}
	for i, name := range []string{"set aside", "looked at"} {
		p := parts[i]
		if p.asked == 0 {
			t.Skip("no documentation is installed: apt-get install python3-doc python-django-doc python-flask-doc")
		}
		if float64(p.first) < 0.6*float64(p.asked) || float64(p.top) < 0.9*float64(p.asked) {
			t.Errorf("%s: 60 %% first and 90 %% among five are demanded", name)
		}
		t.Logf("%s: %d questions, first %.0f %%, among five %.0f %%", name, p.asked, 100*float64(p.first)/float64(p.asked), 100*float64(p.top)/float64(p.asked))
	}
}
