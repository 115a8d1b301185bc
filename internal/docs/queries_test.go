package docs

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// handWritten are queries as people and agents write them: a tree, the query, and the names that answer it.
var handWritten = [][3]string{
	{"Python", "pathlib.Path.read_text", "pathlib.Path.read_text"},
	{"Python", "Path.read_text", "pathlib.Path.read_text"},
	{"Python", "Path.read_text()", "pathlib.Path.read_text"},
	{"Python", "path read text", "pathlib.Path.read_text"},
	{"Python", "read_txt", "pathlib.Path.read_text|zipfile.Path.read_text|importlib.resources.read_text|importlib.abc.Traversable.read_text|importlib.resources.abc.Traversable.read_text"},
	{"Python", "pathlib.Path.read_tex", "pathlib.Path.read_text"},
	{"Python", "patlib.Path", "pathlib.Path"},
	{"Python", "asyncio.gather", "asyncio.gather"},
	{"Python", "asyncio gather", "asyncio.gather"},
	{"Python", "asyncio.gahter", "asyncio.gather"},
	{"Python", "wait_for", "asyncio.wait_for"},
	{"Python", "subprocess.run", "subprocess.run"},
	{"Python", "subproces.run", "subprocess.run"},
	{"Python", "Popen", "subprocess.Popen"},
	{"Python", "popen communicate", "subprocess.Popen.communicate"},
	{"Python", "json.loads", "json.loads"},
	{"Python", "json loads", "json.loads"},
	{"Python", "dataclass", "dataclasses.dataclass"},
	{"Python", "@dataclass", "dataclasses.dataclass"},
	{"Python", "@functools.lru_cache", "functools.lru_cache"},
	{"Python", "lru cache", "functools.lru_cache"},
	{"Python", "functools.lrucache", "functools.lru_cache"},
	{"Python", "defaultdict", "collections.defaultdict"},
	{"Python", "colections.Counter", "collections.Counter"},
	{"Python", "Counter.most_common", "collections.Counter.most_common"},
	{"Python", "most common", "collections.Counter.most_common"},
	{"Python", "re.compile", "re.compile"},
	{"Python", "re.fullmatch(pattern, string)", "re.fullmatch"},
	{"Python", "os.path.join", "os.path.join"},
	{"Python", "os path join", "os.path.join"},
	{"Python", "itertools", "itertools"},
	{"Python", "itertools.groupby", "itertools.groupby"},
	{"Python", "print", "print"},
	{"Python", "open", "open"},
	{"Python", "match statement", "match|tut-match"},
	{"Python", "the with statement", "with|as"},
	{"Python", "with statement", "with|as"},
	{"Python", "list comprehension", "list comprehension|tut-listcomps"},
	{"Python", "context manager", "context manager"},
	{"Python", "garbage collection", "garbage collection"},
	{"Python", "KeyError", "KeyError"},
	{"Python", "keyerror", "KeyError"},
	{"Python", "PYTHONPATH", "PYTHONPATH"},
	{"Python", "str.split", "str.split"},
	{"Python", "string split", "str.split|string.split|re.split|shlex.split|wave.split"},
	{"Python", "dict.setdefault", "dict.setdefault"},
	{"Python", "setdefault", "dict.setdefault"},
	{"Python", ":py:meth:`~datetime.datetime.strftime`", "datetime.datetime.strftime"},
	{"Python", "datetime strftime", "datetime.datetime.strftime"},
	{"Python", "`logging.getLogger`", "logging.getLogger"},
	{"Python", "getlogger", "logging.getLogger"},
	{"Python", "logger.warning", "logging.Logger.warning|logging.warning"},
	{"Python", "sqlite3 connect", "sqlite3.connect"},
	{"Python", "sqlite3.Connection.execute", "sqlite3.Connection.execute"},
	{"Python", "ThreadPoolExecutor", "concurrent.futures.ThreadPoolExecutor"},
	{"Python", "threadpool executor", "concurrent.futures.ThreadPoolExecutor"},
	{"Python", "PyList_Append", "PyList_Append"},
	{"Python", "pylist append", "PyList_Append"},
	{"Python", "__init__", "object.__init__"},
	{"Python", "object.__getattr__", "object.__getattr__"},
	{"Python", "getattr dunder", "object.__getattr__|getattr"},
	{"Python", "tempfile.NamedTemporaryFile", "tempfile.NamedTemporaryFile"},
	{"Python", "named temporary file", "tempfile.NamedTemporaryFile"},
	{"Python", "argparse add_argument", "argparse.ArgumentParser.add_argument"},
	{"Python", "ArgumentParser", "argparse.ArgumentParser"},
	{"Django", "QuerySet.filter", "django.db.models.query.QuerySet.filter"},
	{"Django", "queryset filter", "django.db.models.query.QuerySet.filter"},
	{"Django", "filter", "django.db.models.query.QuerySet.filter|filter"},
	{"Django", "select_related", "django.db.models.query.QuerySet.select_related"},
	{"Django", "select related", "django.db.models.query.QuerySet.select_related"},
	{"Django", "prefetch_relatd", "django.db.models.query.QuerySet.prefetch_related"},
	{"Django", "CharField", "django.db.models.CharField|django.forms.CharField"},
	{"Django", "models.CharField", "django.db.models.CharField"},
	{"Django", "ForeignKey.on_delete", "django.db.models.ForeignKey.on_delete"},
	{"Django", "SECRET_KEY", "SECRET_KEY"},
	{"Django", "secret key", "SECRET_KEY"},
	{"Django", "makemigrations", "makemigrations"},
	{"Django", "raising a 404 error", "intro/tutorial03:raising a 404 error"},
	{"Django", "get_object_or_404", "django.shortcuts.get_object_or_404"},
	{"pandas", "read_csv", "pandas.read_csv"},
	{"pandas", "read csv", "pandas.read_csv"},
	{"pandas", "DataFrame.merge", "pandas.DataFrame.merge"},
	{"pandas", "dataframe merge", "pandas.DataFrame.merge"},
	{"pandas", "DataFrame.grupby", "pandas.DataFrame.groupby"},
	{"pandas", "pd.concat", "pandas.concat"},
	{"SQLAlchemy", "create_engine", "sqlalchemy.create_engine"},
	{"SQLAlchemy", "Session.commit", "sqlalchemy.orm.Session.commit|sqlalchemy.orm.session.Session.commit"},
	{"SQLAlchemy", "session commit", "sqlalchemy.orm.Session.commit|sqlalchemy.orm.session.Session.commit"},
	{"CMake", "add_executable", "command:add_executable|command/add_executable"},
	{"CMake", "add executable", "command:add_executable|command/add_executable"},
	{"CMake", "target_link_librarys", "command:target_link_libraries|command/target_link_libraries"},
	{"CMake", "CMAKE_BUILD_TYPE", "variable:CMAKE_BUILD_TYPE|variable/CMAKE_BUILD_TYPE"},
	{"CMake", "Visual Studio 9 2008", "generator:Visual Studio 9 2008|generator/Visual Studio 9 2008"},
	{"Requests", "requests.get", "requests.get"},
	{"Requests", "Session.request", "requests.Session.request"},
	{"Requests", "raise_for_status", "requests.Response.raise_for_status"},
	{"Requests", "raise for status", "requests.Response.raise_for_status"},
	{"Flask", "flask.Flask.route", "flask.Flask.route"},
	{"Flask", "Flask::route", "flask.Flask.route"},
	{"Flask", "render_template", "flask.render_template"},
	{"Flask", "jsonify", "flask.json.jsonify|flask.jsonify"},
	{"Twisted (pydoctor)", "Deferred.addCallback", "twisted.internet.defer.Deferred.addCallback"},
	{"Twisted (pydoctor)", "inlineCallbacks", "twisted.internet.defer.inlineCallbacks"},
	{"MkDocs", "get_file_from_path", "mkdocs.structure.files.Files.get_file_from_path"},
	{"MkDocs", "src uris", "mkdocs.structure.files.Files.src_uris"},
}

// TestHandWrittenQueries demands the accepted answer first for most, and among five for nearly all.
func TestHandWrittenQueries(t *testing.T) {
	dirs := map[string]string{}
	for _, tree := range installedTrees {
		if _, err := os.Stat(filepath.Join(tree.dir, inventoryName)); err == nil {
			dirs[tree.name] = tree.dir
		}
	}
	r := anyPath()
	asked, first, top, skipped := 0, 0, 0, map[string]bool{}
	for _, q := range handWritten {
		dir := dirs[q[0]]
		if raceDetector && (q[0] == "Python" || q[0] == "pandas") && len(q[1])%4 > 0 {
			continue // a fourth of those on the largest
		}
		if dir == "" {
			skipped[q[0]] = true
			continue
		}
		asked++
		var got []string
		at := -1
		for i, d := range explore(t, r, dir, q[1], Options{IncludeDocumentation: new(bool)}).Documents {
			got = append(got, fmt.Sprintf("%s %d", d.Name, *d.FuzzyScore))
			for _, want := range strings.Split(q[2], "|") {
				if d.Name == want && at < 0 {
					at = i
				}
			}
		}
		if at == 0 {
			first++
		} else {
			t.Logf("%s %q: wanted %s at %d of %q", q[0], q[1], q[2], at, got)
		}
		if at >= 0 {
			top++
		}
	}
	if asked == 0 {
		t.Skip("no documentation is installed: apt-get install python3-doc python-django-doc python-pandas-doc")
	}
	t.Logf("%d queries: first %.1f %%, among five %.1f %%; trees that are not installed: %v", asked, 100*float64(first)/float64(asked), 100*float64(top)/float64(asked), skipped)
	if float64(first) < 0.92*float64(asked) || float64(top) < 0.98*float64(asked) {
		t.Error("92 % first and 98 % among five are demanded")
	}
}
