package mcp

import (
	"fmt"
	"strings"
	"testing"

	"sdd/internal/tokens"
	"sdd/schema"
)

// mostListed is what all tools together may cost a client: names, descriptions and arguments, in o200k tokens.
const mostListed = 2000

// TestLedger prints what each tool costs a client on every turn.
func TestLedger(t *testing.T) {
	most := map[string]int{"sdd_decide": 235}
	sum := 0
	for _, tool := range Offers().Tools {
		n := tokens.Count(fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":%s}`, tool.Name, tool.Description, strings.TrimSpace(string(schema.Input(tool.Name)))))
		t.Logf("%-12s %4d", tool.Name, n)
		if limit := most[tool.Name]; limit > 0 && n > limit {
			t.Errorf("%s takes %d tokens, at most %d", tool.Name, n, limit)
		}
		sum += n
	}
	t.Logf("%-12s %4d of %d", "together", sum, mostListed)
	if sum > mostListed {
		t.Errorf("the tools take %d tokens, at most %d", sum, mostListed)
	}
}
