package answer

import (
	"fmt"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/tier"
)

// others returns the commits of the other repositories, by name.
func (b *Answers) others() map[string]string {
	if b.Others == nil {
		return nil
	}
	return b.Others()
}

const (
	mostRepositories = 10  // in a receipt
	leastForThem     = 500 // tokens of a budget with room for them
)

// used returns the commits of the other repositories that have records in the page.
func (b *Answers) used(p *page, budget int) map[string]string {
	all := b.others()
	if len(all) == 0 || budget < leastForThem {
		return nil
	}
	used := map[string]string{}
	for _, one := range p.taken {
		name := one.id[strings.LastIndexByte(one.id, '@')+1:]
		if commit := all[name]; commit != "" && len(used) < mostRepositories {
			used[name] = fmt.Sprintf("%.10s", commit)
		}
	}
	return used
}

// withheld is the line about records that the policy keeps out.
func withheld(n int, least tier.Tier) string {
	name, _ := least.MarshalText()
	return fmt.Sprintf("%s withheld: trust.answers of config.yaml asks for tier %s.\n\n", fault.Count(n, "record is", "records are"), name)
}
