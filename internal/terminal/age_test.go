package terminal

import (
	"testing"
	"time"

	_ "sdd/internal/longtest"
)

func TestAge(t *testing.T) {
	now := time.Date(2026, 5, 10, 12, 0, 0, 0, time.UTC)
	for stamp, want := range map[string]string{
		"2026-05-10T12:00:30Z": "now", "2026-05-10T11:59:30Z": "now", "2026-05-10T11:50:00Z": "10 min", "2026-05-10T09:00:00+02:00": "5 h",
		"2026-05-08T12:00:00Z": "2 d", "2026-01-02T12:00:00Z": "4 months", "2023-05-09": "3 years", "2026-05-10": "today", "2026-05-11": "today", "2027-01-02T12:00:00Z": "2027-01-02", "2026-05-09": "1 d", "": "", "yesterday": "",
	} {
		if got := age(stamp, now); got != want {
			t.Errorf("age(%q) = %q, want %q", stamp, got, want)
		}
	}
}
