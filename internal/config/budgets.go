package config

// Budget returns budgets.<tool> of config.yaml, the max_tokens of calls without one. It returns preset if the key is missing
// or not a number from 50 to 100,000 (which sdd check reports).
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
