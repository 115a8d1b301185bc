package release

import (
	"fmt"
	"strings"
)

// notes are the release's text: its content, how to verify it, what was tested before, and what was not.
func (r *release) notes() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, "# sdd %s\n\n%s.\n\nMade of commit `%s` of %s with %s.\n\n", r.Called, Description, r.Commit,
		r.When.Format("2006-01-02 15:04 MST"), r.Go)
	b.WriteString("| platform | archive | MCP bundle | bill of materials |\n|---|---|---|---|\n")
	for _, p := range r.built {
		bill := strings.TrimSuffix(p.Bundle, ".mcpb") + ".cdx.json"
		fmt.Fprintf(&b, "| %s | `%s` | `%s` | `%s` |\n", p.Platform, p.Archive, p.Bundle, bill)
	}
	fmt.Fprintf(&b, "\n`sdd-%s.vsix` is the extension for VS Code: `code --install-extension` takes it.\n", r.number())
	fmt.Fprintf(&b, "Unpacked, `sdd-%s-claude-code.zip` is a plugin (`claude plugin marketplace add ./sdd`, `claude plugin install sdd@sdd`), and "+
		"`sdd-%s-gemini-cli.zip` an extension (`gemini extensions install ./sdd`). Both start the sdd in PATH.\n", r.number(), r.number())
	b.WriteString("\n## Check\n\n```\nsha256sum --check --ignore-missing SHA256SUMS\n```\n\n" + again(r) + "\n## What was run\n\n")
	for _, t := range r.tried {
		b.WriteString("- " + t + "\n")
	}
	for _, p := range r.built {
		if p.Platform != Host() {
			fmt.Fprintf(&b, "- %s: built only, where this was made.\n", p.Platform)
		}
	}
	if len(r.built) == len(Platforms) {
		b.WriteString("- The container file, the formula and the Scoop manifest: made only.\n")
	}
	b.WriteString("\n## What is missing\n\n")
	for _, l := range r.lacks {
		b.WriteString("- " + l + "\n")
	}
	b.WriteString("- Nothing is signed: macOS and Windows ask before they start a downloaded program.\n")
	return []byte(b.String())
}

// again explains how to reproduce the release. Uncommitted changes cannot be reproduced.
func again(r *release) string {
	if r.Called != r.Version {
		return "It holds changes that are in no commit, so nobody can make it again.\n"
	}
	command := "git switch --detach " + r.Commit + " && go run ./.release -version " + r.Version
	if r.Owner != "" {
		command += " -owner " + r.Owner
	}
	if r.Repo != "" {
		command += " -repo " + r.Repo
	}
	return "The same commit and version give the same bytes with the same release of Go:\n\n```\n" + command +
		" -out /tmp/again && cmp /tmp/again/SHA256SUMS SHA256SUMS\n```\n"
}
