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
	{
		name: "gentle-ai", folders: []string{".gentle-ai", ".atl"},
		start:  "When ready to start a new project: use `/sdd-init`",
		change: "When ready to modify existing code: use `/sdd-new %s`",
	},
	{
		name: "openspec", folders: []string{"openspec"},
		start:  "When ready to start a new project: run `openspec init`",
		change: "When ready to modify existing code: use `/opsx:propose %s`",
	},
	{
		name: "spec-kit", folders: []string{".specify"},
		start:  "When ready to start a new project: use `/speckit.constitution`",
		change: "When ready to modify existing code: use `/speckit.specify`",
	},
	{
		name:   "hoofy",
		start:  "When ready to start a new project: use `sdd_init_project`",
		change: "When ready to modify existing code: use `sdd_change`",
	},
}

const again = "To add more context: call `sdd_explore` again with the same title"

// nextSteps returns lines that suggest the next steps. They name the commands of a pipeline only when config.yaml names it: a
// folder of another tool does not mean that this client has its commands.
func nextSteps(configured, slug string) []string {
	for _, p := range pipelines {
		if p.name == configured {
			return []string{p.start, strings.ReplaceAll(p.change, "%s", slug), again}
		}
	}
	return []string{again}
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
