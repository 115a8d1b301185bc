package learning

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"sdd/internal/fault"
	"sdd/internal/index"
	"sdd/internal/record"
	"sdd/internal/store"
)

// Views are pages generated from the learnings: learnings.md with the global ones by category, and
// agents/<persona>/learnings.md with the local ones of each persona.

const (
	viewsFolder  = "views"
	projectView  = "learnings.md"
	agentsFolder = "agents"
	viewDelay    = 400 * time.Millisecond // all changes within it are written once
	viewRounds   = 5
)

// View returns one view of the files as they are now.
func (l *Learnings) View(ctx context.Context, name string) ([]byte, error) {
	if err := l.cache.sync(ctx); err != nil {
		return nil, err
	}
	pages := l.pages()
	if page, ok := pages[name]; ok {
		return page, nil
	}
	return nil, fault.New(fault.NotFound, "there is no view %q", record.Brief(name)).For("name").
		With("views: " + strings.Join(slices.Sorted(maps.Keys(pages)), ", "))
}

func (l *Learnings) pages() map[string][]byte {
	byCategory, byPersona := map[string][]*Idea{}, map[string][]*Idea{}
	for _, i := range l.cache.learnings(oldestFirst) {
		if s := i.Effective(); s != active && s != outdated {
			continue
		}
		if i.Scope == record.Global {
			byCategory[i.Category] = append(byCategory[i.Category], i)
			continue
		}
		for _, a := range i.Agents {
			p := strings.ToLower(Persona(a))
			if list := byPersona[p]; len(list) == 0 || list[len(list)-1] != i { // two instances of one persona
				byPersona[p] = append(list, i)
			}
		}
	}
	var b bytes.Buffer
	b.WriteString("# Project Learnings\n")
	for _, c := range inOrder(byCategory) {
		name := cmp.Or(record.OneLine(c), "General")
		b.WriteString("\n## " + name + "\n")
		writeItems(&b, byCategory[c])
	}
	pages := map[string][]byte{projectView: b.Bytes()}
	for persona, list := range byPersona {
		var b bytes.Buffer
		b.WriteString("# " + title(persona) + " Learnings\n\n## Patterns Observed\n")
		writeItems(&b, list)
		name := agentsFolder + "/" + record.Slug(persona) + "/" + projectView
		pages[name] = append(pages[name], b.Bytes()...)
	}
	return pages
}

// inOrder returns the categories that have learnings: ours in their order, then the others by name.
func inOrder(byCategory map[string][]*Idea) []string {
	if none := byCategory[""]; len(none) > 0 {
		byCategory["General"] = append(byCategory["General"], none...)
		slices.SortStableFunc(byCategory["General"], func(a, b *Idea) int { return -byAge(a, b) })
	}
	delete(byCategory, "")
	all := record.Union(slices.Clone(Categories), slices.Sorted(maps.Keys(byCategory))...)
	return slices.DeleteFunc(all, func(c string) bool { return len(byCategory[c]) == 0 })
}

func writeItems(b *bytes.Buffer, list []*Idea) {
	for _, i := range list {
		b.WriteString(record.Item(i.ID, i.Content) + i.Mark())
		if i.Effective() == outdated {
			why := i.OutdatedReason
			if i.Verdict != nil {
				why = i.Verdict.Reason
			}
			b.WriteString(strings.TrimSuffix(" (outdated: "+record.OneLine(why), ": ") + ")")
		}
		b.WriteString("\n")
	}
}

// title is a persona as a heading has it.
func title(persona string) string {
	name := cmp.Or(record.OneLine(persona), "agent")
	r, n := utf8.DecodeRuneInString(name)
	return string(unicode.ToUpper(r)) + name[n:]
}

// WriteViews writes the views below .sdd/views that differ from the learnings, each at once or not at all, and
// removes those of personas that have no learnings any more.
func (l *Learnings) WriteViews(ctx context.Context) error {
	if !l.st.Exists() {
		return nil
	}
	for range viewRounds {
		if err := l.cache.sync(ctx); err != nil {
			return err
		}
		changed, err := l.writePages(l.pages())
		if err != nil || !changed {
			return err
		}
		// Another process may have changed a learning and written newer views meanwhile: look again.
	}
	return nil
}

// writePages reports whether it changed one of the files.
func (l *Learnings) writePages(pages map[string][]byte) (changed bool, err error) {
	defer func() {
		if err != nil {
			err = &fault.Error{Code: fault.Unwritable, Message: "the views cannot be written: " + err.Error(),
				Hint: "check the disk and the rights of .sdd/views", Cause: err}
		}
	}()
	defer fault.Caught(&err)
	sdd := fault.Must(os.OpenRoot(filepath.Join(l.st.Dir(), store.Folder)))
	defer sdd.Close()
	fault.Check(sdd.MkdirAll(viewsFolder, 0o755))
	dir := fault.Must(sdd.OpenRoot(viewsFolder))
	defer dir.Close()
	if _, err := sdd.Lstat(".gitignore"); errors.Is(err, fs.ErrNotExist) {
		// A store that was made by hand: generated files must not show up in git.
		fault.Check(dir.WriteFile(".gitignore", []byte("*\n"), 0o644))
	}
	for _, name := range slices.Sorted(maps.Keys(pages)) {
		wrote := fault.Must(writeView(dir, name, pages[name]))
		changed = changed || wrote
	}
	personas, _ := fs.ReadDir(dir.FS(), agentsFolder)
	for _, p := range personas {
		folder := agentsFolder + "/" + p.Name()
		if _, ok := pages[folder+"/"+projectView]; !ok && p.IsDir() {
			dir.Remove(folder + "/" + projectView)
			dir.Remove(folder) // stays when it has other files
		}
	}
	return changed, nil
}

func writeView(dir *os.Root, name string, page []byte) (wrote bool, err error) {
	defer fault.Caught(&err)
	if now, err := dir.ReadFile(name); err == nil && bytes.Equal(now, page) {
		return false, nil
	}
	fault.Check(dir.MkdirAll(path.Dir(name), 0o755))
	in := fault.Must(dir.OpenRoot(path.Dir(name)))
	defer in.Close()
	return true, store.WriteWhole(in, path.Base(name), page, false)
}

// Keep makes the views follow every change on disk within a second, hand edits and commits too, and writes the events of both,
// until ctx ends. It is for servers, and returns at once.
func (l *Learnings) Keep(ctx context.Context) {
	l.kept.Add(1)
	forget := l.ix.Subscribe(func(changes []index.Change) {
		if slices.ContainsFunc(changes, func(c index.Change) bool { return c.Kind == record.Idea }) {
			l.views.due()
		}
	})
	l.views.due()
	l.st.WatchHead(ctx, l.views.due)
	context.AfterFunc(ctx, func() {
		forget()
		l.kept.Add(-1)
	})
}

// keepViews writes the views, and the events of what changed on disk.
func (l *Learnings) keepViews() {
	l.WriteViews(context.Background()) // what fails is written after the next change, or when asked for
	if l.kept.Load() > 0 {
		l.events.write()
	}
}
