package web

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/decision"
	"sdd/internal/explore"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/store"
)

// topic is the exploration or decision of a request's address, from its present file.
func (s *site) topic(r *http.Request) (record.Record, error) {
	e, f, err := s.read(r)
	if err != nil {
		return record.Record{}, err
	}
	return record.Parse(e.Path, f.Bytes, record.Defaults{Project: s.store.Project()}), nil
}

// ofSection is a section of the exploration or decision of a request, as its form has it; a missing section has no text.
func (s *site) ofSection(r *http.Request) written {
	key := cmp.Or(r.PostForm.Get("section"), r.URL.Query().Get("section"))
	now, err := s.topic(r)
	t := written{actions: "edit check", form: editPage{
		ID: oneLine(cmp.Or(now.Title, r.URL.Path[1:]), 120), Page: escapePath(r.URL.Path), Noun: "section",
		List: "/explorations", ListName: "Explorations", Anew: "sdd explore", Section: key,
	}}
	if strings.Contains(r.URL.Path, "/"+string(record.Decision)+"/") {
		t.form.List, t.form.ListName, t.form.Anew = "/decisions", "Decisions", "sdd decide"
	}
	known, ok := record.SectionNamed(now.Kind, key)
	if err == nil && (!ok || known.Under != "" || record.SectionKey(now.Kind, known) != key) {
		err = fault.New(fault.Invalid, "the record has no section %q", record.Brief(key)).For("section").
			With("open the record, and choose Edit at a section")
	}
	t.form.Name = known.Name
	t.get = func() (stored, error) {
		if err != nil {
			return stored{}, err
		}
		now, err := s.topic(r)
		return sectionOf(now, key), err
	}
	t.do = func(action, text string, form url.Values) (*url.URL, error) {
		was := sectionOf(now, key).text
		if action == "check" {
			n, err := strconv.Atoi(form.Get("item"))
			checked, ok := checkItem(was, n)
			if err != nil || !ok {
				return nil, fault.New(fault.Invalid, "item %q is not in the list", record.Brief(form.Get("item"))).For("item").
					With("open the page again")
			}
			text = checked
		}
		if strings.TrimSpace(text) == "" && was == "" {
			return nil, fault.New(fault.Invalid, "the text is empty").For("content").With("write something, or go back")
		}
		return &url.URL{Path: r.URL.Path}, s.storeSection(r, now, key, text, form.Get("if_match"))
	}
	return t
}

// sectionOf is the first section of a record with that key, since saves change that one. For a missing one it has the etag of the file.
func sectionOf(r record.Record, key string) stored {
	now := stored{r.ID, store.Folder + "/" + r.File, r.Etag, ""}
	if i := slices.IndexFunc(r.Sections, func(sec record.Section) bool { return sec.Key == key }); i >= 0 {
		now.etag, now.text = r.Sections[i].Etag, strings.Trim(r.Sections[i].Text, "\n")
	}
	return now
}

// storeSection saves a section of an exploration or decision. A blank text clears it.
func (s *site) storeSection(r *http.Request, now record.Record, key, text, ifMatch string) error {
	if now.Kind == record.Decision {
		_, err := s.decisions.EditSection(r.Context(), decision.SectionEdit{ID: now.ID, Section: key, Content: text, IfMatch: ifMatch,
			Tool: "page", Session: s.session})
		return err
	}
	in := explore.Input{Title: now.Title, Project: now.Project, Scope: now.Scope, SessionID: s.session, IfMatch: ifMatch, Tool: "page"}
	*in.Field(key) = text
	if strings.TrimSpace(text) == "" {
		in.Clear = []string{key}
	}
	_, err := explore.Save(r.Context(), s.store, s.index, in)
	return err
}

var listItem = pattern.Late(`^[-*] (?:\[([ xX])\] )?(\S.*)$`)

// checksOf returns the items of a text that is one list of single lines, nil for any other text.
func (s *site) checksOf(text, file string) (all []checkable) {
	for line := range strings.Lines(strings.TrimSpace(text)) {
		m := listItem().FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			return nil
		}
		all = append(all, checkable{len(all), m[1] != "" && m[1] != " ", oneLine(m[2], 200), s.prose(m[2], file, 2)})
	}
	return all
}

// checkItem checks the n-th item of such a text, or unchecks it. An item without a box counts as unchecked.
func checkItem(text string, n int) (string, bool) {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if n < 0 || n >= len(lines) {
		return "", false
	}
	m := listItem().FindStringSubmatch(strings.TrimRight(lines[n], "\r"))
	if m == nil {
		return "", false
	}
	box := "[x]"
	if m[1] != "" && m[1] != " " {
		box = "[ ]"
	}
	lines[n] = lines[n][:2] + box + " " + m[2]
	return strings.Join(lines, "\n"), true
}
