package main

import (
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"sdd/internal/hub/hubtest"
)

var clusters sync.Map // of the scripts

// hub start starts a PostgreSQL for the script, where there is one, with its DSN in $HUB; hub stop ends it.
func hub(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hub start|stop")
	}
	switch args[0] {
	case "start":
		c, err := hubtest.Start()
		ts.Check(err)
		ts.Defer(c.Stop)
		ts.Setenv("HUB", c.DSN("postgres", "postgres"))
		clusters.Store(ts, c)
	case "stop":
		c, _ := clusters.Load(ts)
		ts.Check(c.(*hubtest.Cluster).Restart("stop"))
	}
}
