package extract

import (
	"strings"

	"sdd/internal/fact/discovery"
	"sdd/internal/pattern"
)

// mainTasks are the commands that everybody who works on a project runs.
var mainTasks = pattern.Words(`build test lint start dev serve typecheck type-check check format fmt e2e migrate deploy release generate codegen integration coverage bench docs seed`)

var dullTasks = pattern.Words(`clean help all default .PHONY install prepare setup deps tidy vendor`)

func isTaskFile(file string) bool {
	tool, _ := discovery.ReadTasks(base(file), nil)
	return tool != ""
}

func base(file string) string { return file[strings.LastIndexByte(file, '/')+1:] }

func readTasks(v *version) (out []item) {
	tool, all := discovery.ReadTasks(base(v.path), v.text)
	for _, t := range all {
		out = append(out, taskItem(tool+" "+t.Name, t.Runs, t.Name, v.path, t.Line))
	}
	return out
}

// taskItem is a command that a task runner knows by a name.
func taskItem(line, runs, name, file string, at int) item {
	it := item{signal: signalTask, key: "task:" + dirKey(file) + line, value: strings.Join(strings.Fields(runs), " "), name: word(line), show: word(runs), line: at}
	first := name
	if i := strings.IndexAny(name, ":-_"); i > 0 {
		first = name[:i]
	}
	if dullTasks()[name] {
		it.name = ""
	}
	if mainTasks()[first] {
		it.note = "main"
	}
	return it
}

// dirKey is the folder of a file in a key, "" for the top.
func dirKey(file string) string {
	if i := strings.LastIndexByte(file, '/'); i >= 0 {
		return file[:i+1]
	}
	return ""
}
