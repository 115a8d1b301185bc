package check

import (
	"cmp"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/fault"
	"sdd/internal/lines"
	"sdd/internal/record"
)

// withFix is the message, and after the separator the fix if there is one.
func (f Finding) withFix(separator string) string {
	return strings.TrimSuffix(f.Message+separator+f.Fix, separator)
}

// Text renders the corrections and the findings, one line each.
func (r Report) Text() string {
	var b strings.Builder
	for _, f := range r.Fixed {
		fmt.Fprintf(&b, "%s:%d: fixed: %s [%s]\n", printable(f.File), f.Line, f.Message, f.Rule)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "%s:%d:%d: %s: %s [%s]\n", printable(f.File), f.Line, f.Column, f.Severity, record.OneLine(f.Message), f.Rule)
		if f.Fix != "" {
			fmt.Fprintf(&b, "    %s\n", record.OneLine(f.Fix))
		}
	}
	return b.String()
}

// printable replaces the control characters in a file's name, so that it stays on one line.
func printable(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return unicode.ReplacementChar
		}
		return r
	}, name)
}

// Summary counts what Text lists.
func (r Report) Summary() string {
	errors := r.Errors()
	files := fault.Count(r.Checked, "file", "files")
	text := files + " checked, nothing found"
	if len(r.Findings) > 0 {
		warnings := fault.Count(len(r.Findings)-errors, "warning", "warnings")
		text = fmt.Sprintf("%s and %s in %s", fault.Count(errors, "error", "errors"), warnings, files)
	}
	if len(r.outside) > 0 {
		text += "; no record of the store: " + printable(strings.Join(r.outside, ", "))
	}
	return text
}

// Annotations renders the findings as workflow commands of GitHub Actions, which shows each at its line of the change.
func (r Report) Annotations() string {
	var b strings.Builder
	for _, f := range r.Findings {
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", f.Severity, workflowProperty.Replace(path.Join(r.base, f.File)), f.Line,
			f.Column, workflowProperty.Replace(f.Rule), workflowData.Replace(f.withFix("\n")))
	}
	return b.String()
}

// The characters that workflow commands need escaped.
var (
	workflowData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// SARIF renders the report for code scanning.
func (r Report) SARIF() []byte { return SARIF(rules, r.Findings, r.base) }

// Notice is the severity of a remark that needs no correction. A check has none.
const Notice Severity = "note"

// SARIF writes findings as SARIF 2.1.0. Their files count from the store's root, which is base below the top of the work tree.
func SARIF(rules []Rule, findings []Finding, base string) []byte {
	type object map[string]any
	text := func(s string) object { return object{"text": s} }
	used, results := []object{}, []object{}
	at := map[string]int{} // the number of a used rule
	for _, f := range findings {
		if _, known := at[f.Rule]; !known {
			at[f.Rule] = len(used)
			rule := object{"id": f.Rule, "shortDescription": text(f.Rule)}
			if k := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }); k >= 0 {
				rule["shortDescription"], rule["help"] = text(rules[k].Summary), text(cmp.Or(rules[k].Help, rules[k].Summary))
			}
			used = append(used, rule)
		}
		file := uri(strings.TrimPrefix(strings.TrimSuffix(base, "/")+"/"+f.File, "/"))
		physical := object{"artifactLocation": object{"uri": file, "uriBaseId": "%SRCROOT%"}} // the top of the work tree
		if f.Line > 0 {
			region := object{"startLine": f.Line}
			if f.Column > 0 {
				region["startColumn"] = f.Column
			}
			physical["region"] = region
		}
		result := object{"ruleId": f.Rule, "ruleIndex": at[f.Rule], "level": f.Severity, "message": text(f.withFix(": ")),
			"locations": []object{{"physicalLocation": physical}}}
		if f.Fingerprint != "" {
			result["partialFingerprints"] = object{"sdd/v1": f.Fingerprint}
		}
		results = append(results, result)
	}
	run := object{"tool": object{"driver": object{"name": "sdd", "rules": used}}, "results": results, "columnKind": "unicodeCodePoints"}
	return lines.JSON(object{"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": []object{run}}, "  ")
}

// uri is a path as a relative reference, escaped so that no part is a scheme, query or fragment.
func uri(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}
