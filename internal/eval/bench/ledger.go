package bench

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/eval/must"
	"sdd/internal/tokens"
)

// ledger counts the tokens that the list of tools costs a client.
func (b *bench) ledger() {
	root := filepath.Join(b.dir, "ledger")
	must.Check(os.MkdirAll(root, 0o755))
	s := must.Get(b.ready(root))
	defer s.close()
	result := must.Get(s.call("tools/list", nil))
	var list struct{ Tools []map[string]json.RawMessage }
	must.Check(json.Unmarshal(result, &list))
	sum := 0
	for _, t := range list.Tools {
		var parts []string
		for _, key := range []string{"name", "description", "inputSchema"} {
			parts = append(parts, fmt.Sprintf("%q:%s", key, t[key]))
		}
		n := tokens.Count("{" + strings.Join(parts, ",") + "}")
		sum += n
		b.add(row{Figure: "tokens of " + strings.Trim(string(t["name"]), `"`), Unit: "tokens", Value: float64(n),
			Note: "name, description, input schema"})
	}
	r := row{Figure: "tokens of all tools", Unit: "tokens", Value: float64(sum)}
	b.add(r.must(sum <= 2000, "≤ 2,000"))
	r = row{Figure: "tokens of tools/list", Unit: "tokens", Value: float64(tokens.Count(string(result)))}
	b.add(r.must(r.Value <= 3000, "≤ 3,000"))
}
