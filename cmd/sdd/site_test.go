package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// sites are the servers of the scripts that run.
var sites sync.Map

// site DIR FILE… serves a folder over HTTP on this machine until the script ends or site is called without words, and writes
// the address where the files say SITE.
func site(ts *testscript.TestScript, neg bool, args []string) {
	if neg {
		ts.Fatalf("usage: site [DIR FILE...]")
	}
	if len(args) == 0 {
		if s, ok := sites.Load(ts); ok {
			s.(*httptest.Server).Close()
		}
		return
	}
	s := httptest.NewServer(http.FileServer(http.Dir(ts.MkAbs(args[0]))))
	sites.Store(ts, s)
	ts.Defer(s.Close)
	for _, name := range args[1:] {
		file := ts.MkAbs(name)
		data, err := os.ReadFile(file)
		ts.Check(err)
		ts.Check(os.WriteFile(file, []byte(strings.ReplaceAll(string(data), "SITE", strings.TrimPrefix(s.URL, "http://"))), 0o666))
	}
}
