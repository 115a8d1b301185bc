package explore

import (
	"flag"
	"testing"
)

// TestMain runs more tests at once than there are processors: the long ones wait for writers.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", "16")
	m.Run()
}
