package release

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// real is a release of this repository, as far as it can be had without building it.
func real(t *testing.T) *release {
	t.Helper()
	dir := filepath.Join("..", "..")
	root, err := goTool(context.Background(), dir, nil, "env", "GOROOT")
	if err != nil {
		t.Fatal(err)
	}
	r := &release{Options: Options{Dir: dir, Version: "v1.2.3", Platforms: Platforms}}
	r.source = source{Module: "sdd", Commit: strings.Repeat("0", 40), Called: "v1.2.3", When: time.Unix(1e9, 0).UTC(), Go: "go1.26.0", goroot: strings.TrimSpace(string(root))}
	return r
}

// TestEveryPartMayBePassedOn: what is linked into the program has a licence that is known, and its text is in the notices.
func TestEveryPartMayBePassedOn(t *testing.T) {
	r := real(t)
	r.Platforms = []Platform{{"linux", "amd64"}, {"windows", "amd64"}} // they differ in what they link
	text, known, err := r.notices(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for path, ids := range known {
		if len(ids) == 0 {
			t.Errorf("the licence of %s is not known", path)
		}
		if !strings.Contains(string(text), "\n"+path+" ") {
			t.Errorf("the notices do not name %s", path)
		}
	}
	for path, want := range map[string]string{
		"std": "BSD-3-Clause", "github.com/spf13/cobra": "Apache-2.0", "github.com/yuin/goldmark": "MIT", "github.com/inconshreveable/mousetrap": "Apache-2.0",
	} {
		if !slices.Contains(known[path], want) {
			t.Errorf("the licence of %s is %q, want %s", path, known[path], want)
		}
	}
	if again, _, _ := r.notices(context.Background()); string(again) != string(text) {
		t.Error("the notices are not the same when they are made again")
	}
}

func TestLicencesIn(t *testing.T) {
	const bsd = "Redistribution and use in source and binary\nforms, with or without modification, are permitted"
	for text, want := range map[string]string{
		"Apache License\n  Version 2.0, January 2004":                                   "Apache-2.0",
		"Permission is hereby granted, free of charge,\nto any person obtaining a copy": "MIT",
		bsd: "BSD-2-Clause",
		bsd + "\nNeither the name of Google Inc. nor":                                                           "BSD-3-Clause",
		"Permission to use, copy, modify, and/or distribute this software for any\npurpose with or without fee": "ISC",
		"Mozilla Public License, version 2.0":                                                                   "MPL-2.0",
		"Apache License Version 2.0 " + bsd + " neither the name of the":                                        "Apache-2.0 BSD-3-Clause",
		"Do what you want.": "",
	} {
		if got := strings.Join(licencesIn(text), " "); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestIsLicence(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENSE.txt": true, "license.md": true, "LICENCE": true, "COPYING": true, "LICENSE.libyaml": true, "UNLICENSE": true,
		"license.go": false, "license_test.go": false, "licenses.json": false, "README.md": false, "NOTICE": false,
	} {
		if isLicence(name) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
}
