package transfer

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestImportThenExportGivesTheSameBytes: lines and keys in any order come out as they came in, and again after a second import.
func TestImportThenExportGivesTheSameBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	shuffled := func(list []string) []string {
		list = slices.Clone(list)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		return list
	}
	object := func(members ...string) string { return "{" + strings.Join(shuffled(members), ",") + "}" }
	ideas := func() string {
		var lines []string
		for n := range 1 + r.IntN(8) {
			members := []string{fmt.Sprintf(`"id":"idea-%d"`, n), `"color":"yellow"`, `"status":"active"`, fmt.Sprintf(`"content":"Number %d is kept"`, n),
				`"parentId":null`, `"own":{"z":1,"a":[2]}`,
				`"metadata":` + object(`"scope":"global"`, `"sourceGreenId":null`, `"sourceAgentId":"ed"`, `"impact":"low"`, `"validated":false`, `"appliedTo":[]`, `"supersededBy":null`, `"zeta":1`, `"alpha":2`)}
			if r.IntN(3) > 0 {
				members = append(members, fmt.Sprintf(`"createdAt":"2026-01-%02dT00:00:00Z"`, 1+r.IntN(4)))
			}
			lines = append(lines, object(members...))
		}
		return strings.Join(shuffled(lines), "\n") + "\n"
	}
	for range 12 {
		text := ideas()
		l := open(t, t.TempDir())
		for again := range 2 {
			if out := importInto(t, l, text); again == 1 && out.Created+out.Updated > 0 {
				t.Fatalf("%+v", out)
			}
			if got := export(t, l); got != text {
				t.Fatalf("came in\n%sgoes out\n%s", text, got)
			}
		}
	}
}
