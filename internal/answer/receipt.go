package answer

import (
	"sdd/internal/record"
	"sdd/internal/tier"
)

// receipt names the state of the records.
func receipt(s tier.Standing) Receipt {
	return Receipt{Commit: s.Commit, Dirty: s.Dirty(func(path string) bool { _, ok := record.KindOf(path); return ok })}
}
