package eval

import (
	"bytes"
	"testing"

	"sdd/internal/longtest"
)

// TestTrust tries every attack on three subjects, or on one.
func TestTrust(t *testing.T) {
	defer func(all []string) { subjects = all }(subjects)
	subjects = subjects[:longtest.Of(1, 3)]
	var table, shown bytes.Buffer
	if err := Run(t.Context(), []string{"trust"}, &table, &shown); err != nil {
		t.Errorf("%v\n%s\n%s", err, table.String(), shown.String())
	}
}
