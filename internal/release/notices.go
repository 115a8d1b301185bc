package release

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// part is a module whose code is in the program. The standard library counts as one.
type part struct {
	path, version string
	texts         []string // of its licences and notices
	licences      []string // SPDX identifiers of the recognised texts
}

// standard is the name of Go's standard library in package URLs.
const standard = "std"

// notices returns the licences of all code linked into the programs, and those known by module path. It reads only folders of
// linked packages and those above them: a module may contain other authors' programs that ours do not include.
func (r *release) notices(ctx context.Context) ([]byte, map[string][]string, error) {
	parts, err := r.parts(ctx)
	if err != nil {
		return nil, nil, err
	}
	known := map[string][]string{}
	var b strings.Builder
	b.WriteString("sdd holds code of others. These are their names, copyrights and terms.\n")
	told := map[string]bool{}
	for _, p := range parts {
		known[p.path] = p.licences
		if len(p.texts) == 0 {
			return nil, nil, fmt.Errorf("%s has no licence file: it may not be passed on", p.path)
		}
		if told[p.path] {
			continue
		}
		for _, other := range parts {
			if slices.Equal(p.texts, other.texts) {
				told[other.path] = true
				fmt.Fprintf(&b, "\n%s\n%s %s", strings.Repeat("=", 80), other.path, other.version)
			}
		}
		b.WriteString("\n" + strings.Repeat("=", 80) + "\n")
		for _, text := range p.texts {
			b.WriteString("\n" + strings.TrimRight(text, "\n") + "\n")
		}
	}
	return []byte(b.String()), known, nil
}

// parts lists the modules linked into the programs of all platforms, sorted by path.
func (r *release) parts(ctx context.Context) ([]part, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t" +
		"{{with .Replace}}{{.Version}}\t{{.Dir}}{{else}}{{.Version}}\t{{.Dir}}{{end}}{{end}}{{end}}\t{{.Dir}}"
	type folder struct{ path, version, dir string }
	folders := map[folder]bool{{standard, strings.TrimPrefix(r.Go, "go"), r.goroot}: true}
	for _, p := range r.Platforms {
		out, err := goTool(ctx, r.Dir, []string{"GOOS=" + p.OS, "GOARCH=" + p.Arch}, "list", "-deps", "-f", format, "./cmd/sdd")
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
			if len(f) != 4 {
				continue // Go's own, and ours
			}
			path, version, top := f[0], f[1], f[2]
			for dir := f[3]; len(dir) >= len(top); dir = filepath.Dir(dir) {
				folders[folder{path, version, dir}] = true
			}
		}
	}
	parts := map[string]*part{}
	sorted := slices.SortedFunc(maps.Keys(folders), func(a, b folder) int { return strings.Compare(a.dir, b.dir) })
	for _, f := range sorted {
		p := parts[f.path]
		if p == nil {
			p = &part{path: f.path, version: f.version}
			parts[f.path] = p
		}
		if err := p.read(f.dir); err != nil {
			return nil, err
		}
	}
	var all []part
	for _, path := range slices.Sorted(maps.Keys(parts)) {
		slices.Sort(parts[path].licences)
		parts[path].licences = slices.Compact(parts[path].licences)
		all = append(all, *parts[path])
	}
	return all, nil
}

// read adds the licences and notices in a folder.
func (p *part) read(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		upper := strings.ToUpper(e.Name())
		licence := isLicence(e.Name())
		if !e.Type().IsRegular() || !licence && !strings.HasPrefix(upper, "NOTICE") && upper != "PATENTS" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		clean := strings.ReplaceAll(string(text), "\r\n", "\n")
		p.texts = append(p.texts, clean)
		if licence {
			p.licences = append(p.licences, licencesIn(clean)...)
		}
	}
	return nil
}

// isLicence reports whether a file's name is that of a licence.
func isLicence(name string) bool {
	name = strings.ToUpper(name)
	if ext := filepath.Ext(name); ext == ".GO" || ext == ".JSON" {
		return false
	}
	return strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "LICENCE") || strings.HasPrefix(name, "COPYING") ||
		strings.HasPrefix(name, "UNLICENSE")
}

// marks are words of licences, by SPDX identifier: a licence's text contains one of them.
var marks = []struct{ id, words string }{
	{"ISC", "permission to use, copy, modify, and/or distribute this software for any purpose with or without fee"},
	{"ISC", "permission to use, copy, modify, and distribute this software for any purpose with or without fee"},
	{"MIT", "permission is hereby granted, free of charge, to any person obtaining a copy"},
	{"MPL-2.0", "mozilla public license, version 2.0"},
	{"MPL-2.0", "mozilla public license version 2.0"},
}

// licencesIn returns the SPDX identifiers of the licences whose words a text contains.
func licencesIn(text string) (ids []string) {
	text = strings.Join(strings.Fields(strings.ToLower(text)), " ")
	has := func(words string) bool { return strings.Contains(text, words) }
	if has("apache license") && has("version 2.0") {
		ids = append(ids, "Apache-2.0")
	}
	if has("redistribution and use in source and binary forms") {
		id := "BSD-2-Clause"
		if has("neither the name") || has("names of its contributors may not") || has("may not be used to endorse") {
			id = "BSD-3-Clause"
		}
		ids = append(ids, id)
	}
	for _, m := range marks {
		if has(m.words) && !slices.Contains(ids, m.id) {
			ids = append(ids, m.id)
		}
	}
	return ids
}
