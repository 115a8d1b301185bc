package explore

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// A pipeline is another tool's process that starts from an exploration.
type pipeline struct {
	name    string
	folders []string // sdd handoff detects the pipeline by any of these folders at the store's root
	start   string   // the next step for a new project
	change  string   // the next step for a change, %s is the exploration's slug
}

// The first pipeline wins when the folders of several exist: gentle-ai keeps an openspec folder of its own.
var pipelines = []pipeline{
	{"gentle-ai", []string{".gentle-ai", ".atl"}, "use `/sdd-init`", "use `/sdd-new %s`"},
	{"openspec", []string{"openspec"}, "run `openspec init`", "use `/opsx:propose %s`"},
	{"spec-kit", []string{".specify"}, "use `/speckit.constitution`", "use `/speckit.specify`"},
	{"hoofy", nil, "use `sdd_init_project`", "use `sdd_change`"},
}

const again = "To add more context: call `sdd_explore` again with the same title"

// nextSteps suggests next steps: the commands of a pipeline only when config.yaml names it, for a client may not have those of a folder.
func nextSteps(configured, slug string, created bool) (steps []string) {
	for _, p := range pipelines {
		if p.name == configured {
			steps = []string{"When ready to start a new project: " + p.start,
				"When ready to modify existing code: " + strings.ReplaceAll(p.change, "%s", slug)}
		}
	}
	if created {
		steps = append(steps, again)
	}
	return steps
}

// Pipeline returns the configured pipeline, else the one whose folders are under root, "" for none.
func Pipeline(root, configured string) string {
	isFolder := func(name string) bool {
		st, err := os.Stat(filepath.Join(root, name))
		return err == nil && st.IsDir()
	}
	for _, c := range pipelines {
		if configured == c.name || configured == "" && slices.ContainsFunc(c.folders, isFolder) {
			return c.name
		}
	}
	return ""
}
