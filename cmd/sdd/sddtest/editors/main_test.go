// Package editors drives the language server as editors do, with what sdd setup --editor writes for them.
package editors

import (
	"testing"

	"sdd/cmd/sdd/sddtest"
)

func TestMain(m *testing.M) { sddtest.Main(m, nil) }
