package config

// Budget returns budgets.<tool> of config.yaml, the max_tokens of calls that name none. It returns preset where the key is not
// set, or is no number from 50 to 100,000 (sdd check reports that).
func (c Config) Budget(tool string, preset int) int {
	budgets, _ := c.Sections["budgets"].(map[string]any)
	n := 0
	switch v := budgets[tool].(type) {
	case int:
		n = v
	case int64:
		n = int(v)
	case float64:
		n = int(v)
	}
	if n < 50 || n > 100_000 {
		return preset
	}
	return n
}
