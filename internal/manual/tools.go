package manual

import (
	"fmt"
	"strings"

	"sdd/internal/mcp"
	"sdd/schema"
)

// tools is the reference of what the MCP server offers.
func tools() []byte { return append([]byte(generated), render("tools.tmpl", mcp.Offers())...) }

// settings is the reference of config.yaml.
func settings() []byte {
	return []byte(generated + "# .sdd/config.yaml\n\nSettings of a store. Every key may be missing. " +
		"A * marks a key that is required where the object above it is present.\n\n" + table(keysOf("config"), "key"))
}

// keysOf describes the keys of a schema of this repository.
func keysOf(name string) []schema.Row { return schema.Rows(schema.Load(name)) }

// table is a table of keys.
func table(rows []schema.Row, head string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s | holds | default | |\n|---|---|---|---|\n", head)
	for _, r := range rows {
		name, byDefault := "`"+r.Name+"`", ""
		if r.Required {
			name += " *"
		}
		if r.Default != "" {
			byDefault = "`" + r.Default + "`"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", name, escaped(r.Kind), byDefault, escaped(r.About))
	}
	return b.String()
}
