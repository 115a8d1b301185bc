package fact

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// Input is a fact to store. Only Content is required.
type Input struct {
	Content    string  `json:"content"`
	Level      int     `json:"level,omitempty"` // 0 project, 1 domain, 2 module, 3 code
	Domain     string  `json:"domain,omitempty"`
	Module     string  `json:"module,omitempty"`
	CodeRef    string  `json:"code_ref,omitempty"` // path#L10-L50, from the project's folder
	Source     string  `json:"source,omitempty"`   // its origin
	Parent     string  `json:"parent,omitempty"`
	Supersedes string  `json:"supersedes,omitempty"` // the id of the fact that it replaces
	Scope      string  `json:"scope,omitempty"`      // project (default) or personal
	Confidence float64 `json:"confidence,omitempty"` // 0 to 1; 0 is the default
	TTLDays    int     `json:"ttl_days,omitempty"`   // 0 is the default
	RefreshOn  string  `json:"refresh_on,omitempty"`
	OnExpire   string  `json:"on_expire,omitempty"` // stale, archive or delete
	Evidence   string  `json:"evidence,omitempty"`  // Markdown for the section Evidence
	Tool       string  `json:"-"`
	Session    string  `json:"-"`
}

const (
	mostPath = 1000   // characters of a path, source or module
	mostDays = 36_500 // of a ttl
)

// expireActions are the values of on_expire, the default first.
var expireActions = []string{"stale", "archive", "delete"}

// check refuses invalid values and normalizes the others.
func (in *Input) check(lim config.Limits) (err error) {
	if in.Content, err = record.Content("content", in.Content, lim.Section); err != nil {
		return err
	}
	if err := levelNamed(in.Level); err != nil {
		return err
	}
	for _, v := range []struct {
		arg  string
		text *string
		most int
	}{
		{"domain", &in.Domain, lim.Title}, {"module", &in.Module, mostPath}, {"source", &in.Source, mostPath}, {"parent", &in.Parent, mostPath},
		{"supersedes", &in.Supersedes, lim.Title}, {"code_ref", &in.CodeRef, mostPath}, {"refresh_on", &in.RefreshOn, mostPath},
	} {
		*v.text = strings.TrimSpace(*v.text)
		if err := record.CheckLine(v.arg, *v.text, v.most); err != nil {
			return err
		}
	}
	if in.Scope, err = record.OneOf("scope", cmp.Or(in.Scope, record.Project), record.ScopesOf(record.Fact)); err != nil {
		return err
	}
	if math.IsNaN(in.Confidence) || in.Confidence < 0 || in.Confidence > 1 {
		return fault.New(fault.Invalid, "confidence is %v", in.Confidence).For("confidence").With("allowed: 0 to 1")
	}
	if in.TTLDays < 0 || in.TTLDays > mostDays {
		return fault.OutOfRange("ttl_days", in.TTLDays, 0, 1, mostDays)
	}
	if in.RefreshOn != "" {
		if _, err := compileGlob(in.RefreshOn); err != nil {
			return err
		}
	}
	if in.OnExpire != "" {
		if in.OnExpire, err = record.OneOf("on_expire", in.OnExpire, expireActions); err != nil {
			return err
		}
	}
	if in.Evidence != "" {
		if in.Evidence, err = record.Content("evidence", in.Evidence, lim.Section); err != nil {
			return err
		}
	}
	in.CodeRef, err = checkCodeRef(in.CodeRef)
	return err
}

// ttl returns the ttl of the input, nil for none.
func (in *Input) ttl() *TTL {
	t := TTL{Days: float64(in.TTLDays), RefreshOn: in.RefreshOn, OnExpire: in.OnExpire}
	if t == (TTL{}) {
		return nil
	}
	if t.Days == 0 && t.RefreshOn == "" {
		t.Days = expiry[in.Level] // the input only has on_expire
	}
	return &t
}

var codeLines = pattern.Late(`^L([0-9]{1,9})(?:-L?([0-9]{1,9}))?$`)

// checkCodeRef checks the shape of a code_ref and returns it with slashes.
func checkCodeRef(ref string) (string, error) {
	if ref == "" {
		return "", nil
	}
	bad := func(why string) error {
		return fault.New(fault.Invalid, "code_ref %q %s", record.Brief(ref), why).For("code_ref").
			With("give a path from the project's folder, with lines or without: internal/auth/jwt.go#L10-L50")
	}
	file, lines, has := strings.Cut(strings.ReplaceAll(ref, `\`, "/"), "#")
	switch {
	case file == "" || strings.HasSuffix(file, "/"):
		return "", bad("names no file")
	case path.IsAbs(file), len(file) > 1 && file[1] == ':', strings.HasPrefix(file, "~"):
		return "", bad("is a path of one machine")
	case !filepath.IsLocal(filepath.FromSlash(file)):
		return "", bad("leads out of the project")
	}
	file = path.Clean(file)
	if !has {
		return file, nil
	}
	m := codeLines().FindStringSubmatch(lines)
	if m == nil {
		return "", bad("has no lines behind the #")
	}
	first, _ := strconv.Atoi(m[1])
	last := first
	if m[2] != "" {
		last, _ = strconv.Atoi(m[2])
	}
	switch {
	case first < 1:
		return "", bad("begins before line 1")
	case last < first:
		return "", bad("ends before it begins")
	case m[2] == "":
		return fmt.Sprintf("%s#L%d", file, first), nil
	}
	return fmt.Sprintf("%s#L%d-L%d", file, first, last), nil
}

// missing returns the part of a code_ref that does not exist, "" when all does.
func (f *Facts) missing(ref string) string {
	if ref == "" {
		return ""
	}
	file, lines, _ := strings.Cut(ref, "#")
	roots := []string{f.st.Dir()}
	if top, _, _, ok := git.Top(f.st.Dir()); ok {
		roots = append(roots, top)
	}
	why := "there is no file " + file
	for _, root := range roots {
		name := filepath.Join(root, filepath.FromSlash(file))
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		m := codeLines().FindStringSubmatch(lines)
		if m == nil || !info.Mode().IsRegular() || info.Size() > mostHashed {
			return ""
		}
		last, _ := strconv.Atoi(cmp.Or(m[2], m[1]))
		src, err := os.ReadFile(name)
		if err != nil {
			return ""
		}
		n := strings.Count(strings.TrimSuffix(string(src), "\n"), "\n") + 1
		if last <= n {
			return ""
		}
		why = fmt.Sprintf("%s has %d lines", file, n)
	}
	return why
}
