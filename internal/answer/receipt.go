package answer

import (
	"fmt"

	"sdd/internal/record"
	"sdd/internal/tier"
)

// receipt names the state of the records.
func receipt(s tier.Standing) Receipt {
	return Receipt{Commit: s.Commit, Dirty: s.Dirty(func(path string) bool { _, ok := record.KindOf(path); return ok })}
}

// withheld is the line about records that the policy keeps out.
func withheld(n int, least tier.Tier) string {
	return fmt.Sprintf("%d records are withheld: trust.answers of config.yaml asks for tier %s.\n\n", n, least)
}
