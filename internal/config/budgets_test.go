package config

import "testing"

func TestBudget(t *testing.T) {
	c, err := Parse([]byte("budgets:\n  context: 1500\n  get: 10\n  code: many\n"))
	if err != nil {
		t.Fatal(err)
	}
	for tool, want := range map[string]int{"context": 1500, "get": 7, "code": 7, "docs": 7} {
		if got := c.Budget(tool, 7); got != want {
			t.Errorf("%s: %d, want %d", tool, got, want)
		}
	}
	if got := Default().Budget("context", 3000); got != 3000 {
		t.Errorf("without a file: %d", got)
	}
}
