package check

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"sdd/internal/record"
)

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
	files := count(r.Checked, "file")
	if len(r.Findings) == 0 {
		return files + " checked, nothing found"
	}
	return fmt.Sprintf("%s and %s in %s", count(errors, "error"), count(len(r.Findings)-errors, "warning"), files)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Annotations renders the findings as workflow commands of GitHub Actions, which shows each at its line of the change.
func (r Report) Annotations() string {
	var b strings.Builder
	for _, f := range r.Findings {
		message := f.Message
		if f.Fix != "" {
			message += "\n" + f.Fix
		}
		fmt.Fprintf(&b, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", f.Severity, workflowProperty.Replace(r.fromTop(f.File)), f.Line, f.Column,
			workflowProperty.Replace(f.Rule), workflowData.Replace(message))
	}
	return b.String()
}

// The characters that workflow commands need escaped.
var (
	workflowData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	workflowProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// fromTop returns a path relative to the top of the work tree.
func (r Report) fromTop(file string) string {
	if r.base == "" {
		return file
	}
	return r.base + "/" + file
}

// SARIF renders the report for code scanning.
func (r Report) SARIF() []byte { return SARIF(rules, r.Findings, r.base) }

// Notice is the severity of a remark that needs no correction. A check has none.
const Notice Severity = "note"

// SARIF writes findings as SARIF 2.1.0, in their order, with the rules that they have. Their files count from the store's root, which
// is base below the top of the work tree.
func SARIF(rules []Rule, findings []Finding, base string) []byte {
	run := sarifRun{Results: []sarifResult{}, ColumnKind: "unicodeCodePoints"}
	driver := &run.Tool.Driver
	driver.Name, driver.Rules = "sdd", []sarifRule{}
	at := map[string]int{}
	for _, f := range findings {
		i, ok := at[f.Rule]
		if !ok {
			i = len(at)
			at[f.Rule] = i
			rule := sarifRule{ID: f.Rule, Short: sarifText{f.Rule}}
			if k := slices.IndexFunc(rules, func(r Rule) bool { return r.ID == f.Rule }); k >= 0 {
				rule.Short.Text, rule.Help = rules[k].Summary, &sarifText{cmp.Or(rules[k].Help, rules[k].Summary)}
			}
			driver.Rules = append(driver.Rules, rule)
		}
		text := f.Message
		if f.Fix != "" {
			text += ": " + f.Fix
		}
		r := sarifResult{RuleID: f.Rule, RuleIndex: i, Level: string(f.Severity), Message: sarifText{text}}
		l := &r.Locations[0]
		l.Physical.Artifact.URI = uri(strings.TrimPrefix(strings.TrimSuffix(base, "/")+"/"+f.File, "/"))
		l.Physical.Artifact.Base = "%SRCROOT%" // the top of the work tree
		if f.Line > 0 {
			l.Physical.Region = &sarifRegion{StartLine: f.Line, StartColumn: f.Column}
		}
		if f.Fingerprint != "" {
			r.Fingerprints = map[string]string{"sdd/v1": f.Fingerprint}
		}
		run.Results = append(run.Results, r)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	_ = enc.Encode(sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}) // strings and numbers always encode
	return b.Bytes()
}

// uri is a path as a relative reference, escaped so that no part is a scheme, query or fragment.
func uri(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(url.PathEscape(p), ":", "%3A")
	}
	return strings.Join(parts, "/")
}

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	} `json:"tool"`
	Results    []sarifResult `json:"results"`
	ColumnKind string        `json:"columnKind"`
}

type sarifRule struct {
	ID    string     `json:"id"`
	Short sarifText  `json:"shortDescription"`
	Help  *sarifText `json:"help,omitempty"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    [1]sarifLocation  `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints,omitempty"`
}

type sarifLocation struct {
	Physical struct {
		Artifact struct {
			URI  string `json:"uri"`
			Base string `json:"uriBaseId"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}
