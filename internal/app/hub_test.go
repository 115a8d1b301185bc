package app

import (
	"testing"

	"sdd/internal/hub"
	"sdd/internal/hub/hubtest"
)

// TestHubsKeepConnection: questions one after the other have one connection, and a lost one is made again.
func TestHubsKeepConnection(t *testing.T) {
	if _, ok := hubtest.Program(); !ok {
		t.Skip("there is no PostgreSQL")
	}
	c, err := hubtest.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Stop()
	s := hub.Settings{DSN: c.DSN("postgres", "postgres"), Wait: hub.MostWait}
	h, err := hub.Open(t.Context(), s.DSN)
	if err != nil {
		t.Fatal(err)
	}
	_, err = h.Init(t.Context())
	h.Close()
	if err != nil {
		t.Fatal(err)
	}
	var k hubs
	defer k.swap("", nil)
	ask := func() *hub.Hub {
		t.Helper()
		if _, err := k.ask(t.Context(), s, hub.Question{Text: "refunds", Most: 1}); err != nil {
			t.Fatal(err)
		}
		return k.idle
	}
	first := ask()
	if first == nil || ask() != first {
		t.Error("another connection")
	}
	if err := c.Restart("restart"); err != nil {
		t.Fatal(err)
	}
	if again := ask(); again == nil || again == first {
		t.Error("the lost connection is still there")
	}
	s.DSN = c.DSN("postgres", "template1")
	if _, err := k.ask(t.Context(), s, hub.Question{Text: "refunds", Most: 1}); err == nil || k.idle != nil {
		t.Errorf("a database without a hub: %v", err)
	}
}
