package discovery

import (
	"cmp"
	"strings"
)

// licences are told by words of their text, the more special ones first.
var licences = []struct {
	name  string
	words []string
}{
	{"AGPL-3.0", []string{"gnu affero general public license", "version 3"}},
	{"LGPL-3.0", []string{"gnu lesser general public license", "version 3"}},
	{"LGPL-2.1", []string{"gnu lesser general public license", "version 2.1"}},
	{"GPL-3.0", []string{"gnu general public license", "version 3"}},
	{"GPL-2.0", []string{"gnu general public license", "version 2"}},
	{"Apache-2.0", []string{"apache license", "version 2.0"}},
	{"MPL-2.0", []string{"mozilla public license", "2.0"}},
	{"EPL-2.0", []string{"eclipse public license", "2.0"}},
	{"BSL-1.1", []string{"business source license 1.1"}},
	{"BSD-3-Clause", []string{"redistribution and use in source and binary forms", "neither the name"}},
	{"BSD-2-Clause", []string{"redistribution and use in source and binary forms"}},
	{"MIT", []string{"permission is hereby granted, free of charge", "without restriction"}},
	{"ISC", []string{"permission to use, copy, modify, and/or distribute this software"}},
	{"Unlicense", []string{"this is free and unencumbered software released into the public domain"}},
	{"CC0-1.0", []string{"cc0 1.0 universal"}},
	{"0BSD", []string{"permission to use, copy, modify, and/or distribute this software for any purpose"}},
	{"Zlib", []string{"this software is provided 'as-is'", "altered source versions"}},
}

// licenceOf returns the SPDX identifier of a licence's text, "" if it is none of the usual ones.
func licenceOf(text []byte) string {
	words := strings.ToLower(oneLine(string(text)))
next:
	for _, l := range licences {
		for _, w := range l.words {
			if !strings.Contains(words, w) {
				continue next
			}
		}
		return l.name
	}
	return ""
}

// sayLicence tells the licence by its text, else as manifests name it.
func (s *survey) sayLicence() {
	var files, names []string
	for _, base := range s.folders["."].files {
		upper := strings.ToUpper(base)
		if !strings.HasPrefix(upper, "LICENSE") && !strings.HasPrefix(upper, "LICENCE") && !strings.HasPrefix(upper, "COPYING") && upper != "UNLICENSE" {
			continue
		}
		files = append(files, base)
		if text, ok := s.head(base); ok {
			if name := licenceOf(text); name != "" {
				names = append(names, name)
			}
		}
	}
	switch {
	case len(files) > 0 && len(files) == len(names):
		s.project("licence", 0.95, files[0], "The licence is %s (%s).", strings.Join(names, " or "), listing(files, 3))
	case len(files) > 0:
		if m := s.rootModule(); m != nil && m.licence != "" {
			s.project("licence", 0.95, files[0], "The licence is in %s; %s calls it %s.", listing(files, 3), m.manifest, brief(m.licence, 60))
			return
		}
		s.project("licence", 0.9, files[0], "The licence is in %s.", listing(files, 3))
	default:
		for _, m := range s.modules {
			if m.dir == "." && m.licence != "" {
				s.project("licence", 0.95, cmp.Or(m.manifest, "."), "The licence is %s, as %s says; there is no licence file.", brief(m.licence, 60), m.manifest)
				return
			}
		}
	}
}
