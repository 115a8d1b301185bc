// Package repos reads the records of a user's other repositories together with those of the store. The user names them in a folder of the
// user's configuration; one of this machine is read at the commit that is checked out there, one with a URL at the commit fetched last.
// Their records are copied into one joined store in the cache folder, so that the ranking is that of one store with all records.
package repos

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"sdd/internal/allow"
	"sdd/internal/atomicfile"
	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Repository is a repository that the user named: a folder of this machine, or an address.
type Repository struct {
	Name   string `json:"name"`
	Path   string `json:"path,omitempty"`
	URL    string `json:"url,omitempty"`
	Always bool   `json:"always,omitempty"` // it is read with every question of the user, without being named
	Shared bool   `json:"shared,omitempty"` // config.yaml of the project names it
}

// All is the name that chooses every repository.
const All = "all"

const suffix = ".json"

func listFolder() (string, error) {
	dir, err := os.UserConfigDir()
	return filepath.Join(dir, "sdd", "repos"), unwritable(err)
}

// List returns the user's repositories, by name. A file that is not a repository's is skipped.
func List() (all []Repository, err error) {
	defer fault.Caught(&err)
	dir := fault.Must(listFolder())
	files, err := os.ReadDir(dir)
	if !errors.Is(err, fs.ErrNotExist) {
		fault.Check(unwritable(err))
	}
	for _, f := range files {
		name, ok := strings.CutSuffix(f.Name(), suffix)
		src, err := os.ReadFile(filepath.Join(dir, f.Name()))
		r := Repository{}
		if !ok || err != nil || json.Unmarshal(src, &r) != nil || name != record.Slug(name) || (r.Path == "") == (r.URL == "") {
			continue
		}
		r.Name, r.Shared = name, false
		all = append(all, r)
	}
	slices.SortFunc(all, func(a, b Repository) int { return cmp.Compare(a.Name, b.Name) })
	return all, nil
}

// Known returns the user's repositories and those that config.yaml of the store names and the user trusts, by name. A
// repository whose remote has the same address as one of the store's is the store's own, and left out.
func Known(own *store.Store) ([]Repository, error) {
	all, err := List()
	if err != nil {
		return nil, err
	}
	c, _ := own.Config() // commands that need it report what is wrong with it
	trusted := allow.Open(store.Local(own.Dir()))
	for _, url := range Named(c) {
		if checkURL(url) != nil || !trusted.Trusted(Access(url)) {
			continue
		}
		i := slices.IndexFunc(all, func(r Repository) bool { return r.URL == url })
		if i < 0 {
			i = len(all)
			all = append(all, Repository{Name: nameOf(url), URL: url})
			for slices.ContainsFunc(all[:i], func(r Repository) bool { return r.Name == all[i].Name }) {
				all[i].Name += "-shared"
			}
		}
		all[i].Always, all[i].Shared = true, true
	}
	if len(all) == 0 { // the usual case, in every search
		return nil, nil
	}
	slices.SortFunc(all, func(a, b Repository) int { return cmp.Compare(a.Name, b.Name) })
	var here []string
	for _, url := range git.RemoteURLs(own.Dir()) {
		here = append(here, address(url))
	}
	return slices.DeleteFunc(all, func(r Repository) bool {
		return r.Path == own.Dir() || r.URL != "" && slices.Contains(here, address(r.URL))
	}), nil
}

// Named returns the addresses that config.yaml names.
func Named(c config.Config) (urls []string) {
	list, _ := c.Sections["with"].([]any)
	for _, v := range list {
		if url, ok := v.(string); ok && url != "" {
			urls = append(urls, url)
		}
	}
	return urls
}

// Access is what the user trusts when the project names an address.
func Access(url string) allow.Command { return allow.Command{URL: url} }

// address is a URL without what does not tell repositories apart: scheme, user and ".git".
func address(url string) string {
	_, rest, has := strings.Cut(url, "://")
	if !has {
		rest = strings.Replace(url, ":", "/", 1)
	}
	if host, path, ok := strings.Cut(rest, "/"); ok {
		rest = host[strings.LastIndexByte(host, '@')+1:] + "/" + path
	}
	return strings.TrimSuffix(strings.TrimRight(rest, "/"), ".git")
}

// nameOf is the name of a repository that the user gave none.
func nameOf(at string) string {
	at = strings.TrimRight(filepath.ToSlash(at), "/")
	return record.Slug(strings.TrimSuffix(at[strings.LastIndexAny(at, "/:")+1:], ".git"))
}

// New returns the repository at a path or URL. Without a name it has the name of the folder or the last part of the URL. The faults
// are NotFound for a path without a repository and Invalid for an address that git cannot fetch.
func New(at, name string) (Repository, error) {
	r := Repository{Name: record.Slug(name)}
	if abs, err := filepath.Abs(at); name == "" && !isURL(at) && err == nil {
		r.Name = nameOf(abs)
	} else if name == "" {
		r.Name = nameOf(at)
	}
	switch {
	case r.Name == All:
		return r, fault.New(fault.Invalid, "%q means every repository", All).For("name").With("give another name with --name")
	case isURL(at):
		r.URL = at
		return r, checkURL(at)
	}
	if st, err := store.Open(store.Options{Dir: at}); err == nil {
		r.Path = st.Dir()
	}
	if _, _, _, ok := git.Top(r.Path); r.Path == "" || !ok {
		return r, fault.New(fault.NotFound, "%q is in no git work tree", at).For("path").
			With("name the folder of a repository, or its URL; file:// names a bare one of this machine")
	}
	return r, nil
}

// isURL reports whether git fetches from the address: it has a scheme, or is host:path.
func isURL(at string) bool {
	if strings.Contains(at, "://") {
		return true
	}
	host, _, ok := strings.Cut(at, ":")
	return ok && len(host) > 1 && !strings.ContainsAny(host, `/\`)
}

// checkURL refuses an address that starts a program or that git would read as an option.
func checkURL(at string) error {
	scheme, _, has := strings.Cut(at, "://")
	if strings.HasPrefix(at, "-") || strings.Contains(at, "::") || strings.ContainsFunc(at, func(c rune) bool { return c < ' ' }) ||
		has && !slices.Contains([]string{"https", "http", "ssh", "git", "file"}, scheme) {
		return fault.New(fault.Invalid, "%q is no address of a repository", record.Brief(at)).For("url").
			With("give https://, ssh://, git@host:path or file://")
	}
	return nil
}

// Free returns the fault Conflict when another repository of the user has the name of r, or r has another name.
func Free(r Repository) error {
	all, err := List()
	if err != nil {
		return err
	}
	for _, old := range all {
		switch {
		case old.Name == r.Name && old.At() != r.At():
			return fault.New(fault.Conflict, "%s is already the name of %s", r.Name, old.At()).For("name").
				With("give another name with --name, or sdd repos remove " + r.Name)
		case old.Name != r.Name && old.At() == r.At():
			return fault.New(fault.Conflict, "%s is already named %s", r.At(), old.Name).For("name").
				With("use that name, or sdd repos remove " + old.Name)
		}
	}
	return nil
}

// Add names a repository in the user's configuration. The fault is that of Free; adding one again replaces its settings.
func Add(r Repository) (err error) {
	defer fault.Caught(&err)
	fault.Check(Free(r))
	dir, src := fault.Must(listFolder()), fault.Must(json.Marshal(r))
	fault.Check(unwritable(os.MkdirAll(dir, 0o700)))
	return unwritable(atomicfile.Replace(filepath.Join(dir, r.Name+suffix), append(src, '\n'), atomicfile.Private))
}

// Remove removes a repository from the user's configuration, and its clone.
func Remove(name string) (err error) {
	defer fault.Caught(&err)
	r := fault.Must(One(name))
	dir := fault.Must(listFolder())
	if err := os.Remove(filepath.Join(dir, r.Name+suffix)); !errors.Is(err, fs.ErrNotExist) {
		fault.Check(unwritable(err))
	}
	return r.forget()
}

// One returns the user's repository of that name. The fault is NotFound.
func One(name string) (Repository, error) {
	all, err := List()
	for _, r := range all {
		if r.Name == name {
			return r, nil
		}
	}
	if err == nil {
		_, err = choose(nil, []string{name})
	}
	return Repository{}, err
}

// Chosen returns the repositories of those names and those always read; shared leaves only config.yaml's. The fault is NotFound.
func Chosen(own *store.Store, names []string, shared bool) ([]Repository, error) {
	all, err := Known(own)
	if err != nil {
		return nil, err
	}
	return choose(slices.DeleteFunc(all, func(r Repository) bool { return shared && !r.Shared }), names)
}

// choose returns the repositories of those names, and those that are always read. The fault is NotFound.
func choose(all []Repository, names []string) (chosen []Repository, err error) {
	for _, r := range all {
		if r.Always || slices.Contains(names, r.Name) || slices.Contains(names, All) {
			chosen = append(chosen, r)
		}
	}
	for _, name := range names {
		if name != All && !slices.ContainsFunc(all, func(r Repository) bool { return r.Name == name }) {
			var known []string
			for _, r := range all {
				known = append(known, r.Name)
			}
			hint := "sdd repos add PATH|URL names one"
			if len(known) > 0 {
				hint = "there are: " + strings.Join(known, ", ")
			}
			return nil, fault.New(fault.NotFound, "no repository is called %q", record.Brief(name)).For("with").With(hint)
		}
	}
	return chosen, nil
}

// At is the path or the URL.
func (r Repository) At() string { return cmp.Or(r.Path, r.URL) }

func unwritable(err error) error {
	if err == nil {
		return nil
	}
	return fault.New(fault.Unwritable, "the list of repositories: %v", err).
		With("it is the folder sdd/repos of your configuration (XDG_CONFIG_HOME, or .config in your home folder)").From(err)
}
