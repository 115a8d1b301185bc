package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/index"
	"sdd/internal/pattern"
	"sdd/internal/record"
	"sdd/internal/tokens"
)

const (
	noteTokens  = 120
	noteLine    = 32 // tokens of one record's line
	mostNoted   = 50 // records that are looked at
	forbidding  = 20 // learnings that share words with a new text
	mostWords   = 60 // of a new text that are searched for
	notedFolder = "noted"
	mostMemory  = 256 << 10 // bytes of one session's ids
	sessionAge  = 7 * 24 * time.Hour
)

// FileNote returns in at most 120 tokens which records concern files that an agent reads or edits, "" for none. A learning
// that forbids what the new text does comes first. Each record is named once in a session, and again after ForgetNotes; a
// caller without a session gets all of them. Paths are absolute or relative to the store's folder.
func (w *App) FileNote(ctx context.Context, session string, paths []string, text string) (string, error) {
	if !w.Store.Exists() {
		return "", nil
	}
	if err := w.Index.Refresh(ctx); err != nil {
		return "", err
	}
	told := w.noted(session)
	fresh := func(list []index.Entry) []index.Entry {
		list = slices.DeleteFunc(list, func(e index.Entry) bool {
			return e.Kind == record.Candidate || record.Gone(e.Status) || slices.Contains(told, e.ID)
		})
		return w.inForce(ctx, list[:min(len(list), mostNoted)])
	}
	files := w.names(paths)
	var about []index.Entry
	if len(files) > 0 {
		about = fresh(w.Index.Anchored(files...))
	}
	var against []index.Entry
	if text != "" {
		against = slices.DeleteFunc(slices.Concat(fresh(w.near(ctx, text)), about), func(e index.Entry) bool {
			return e.Color != record.Learning || !forbids(e.Title, text, files...)
		})
	}
	slices.SortStableFunc(about, func(a, b index.Entry) int {
		return cmp.Or(kindOrder(a)-kindOrder(b), record.CompareTimes(b.Created, a.Created), strings.Compare(a.Path, b.Path))
	})
	var b strings.Builder
	var ids []string
	add := func(line string, id string) {
		if size := tokens.Count(b.String() + line); size <= noteTokens && !slices.Contains(ids, id) {
			b.WriteString(line)
			ids = append(ids, id)
		}
	}
	for _, e := range against {
		add(clipped(fmt.Sprintf("- [%s] forbids this: %s", e.ID, record.Inline(e.Title)), noteLine)+"\n", e.ID)
	}
	about = slices.DeleteFunc(about, func(e index.Entry) bool { return slices.Contains(ids, e.ID) })
	if len(about) > 0 {
		b.WriteString(concern(about))
	}
	for _, e := range about {
		add(clipped(record.Item(e.ID, e.Title), noteLine)+"\n", e.ID)
	}
	if len(ids) == 0 {
		return "", nil
	}
	w.remember(session, told, ids)
	return b.String(), nil
}

// names returns the paths of files as records may name them.
func (w *App) names(paths []string) (names []string) {
	dir := w.Store.Dir()
	roots := []string{dir}
	if top, _, _, ok := git.Top(dir); ok && top != dir {
		roots = append(roots, top) // anchors may count from the top as well
	}
	for _, p := range paths {
		if !filepath.IsAbs(p) {
			p = filepath.Join(dir, p)
		}
		real, _ := filepath.EvalSymlinks(p) // "" for a file that does not exist
		for _, root := range roots {
			for _, p := range []string{p, cmp.Or(real, p)} {
				if rel, err := filepath.Rel(root, p); err == nil && filepath.IsLocal(rel) && !slices.Contains(names, filepath.ToSlash(rel)) {
					names = append(names, filepath.ToSlash(rel))
				}
			}
		}
	}
	return names
}

func (w *App) near(ctx context.Context, text string) (list []index.Entry) {
	words := uniqueWords(text)
	learning, _ := record.ParseType("learning")
	q := index.Query{Text: strings.Join(words[:min(len(words), mostWords)], " "), Types: []record.Type{learning},
		Limit: forbidding, Bare: true}
	page, err := w.Index.Query(ctx, q)
	if err != nil || q.Text == "" {
		return nil
	}
	for _, h := range page.Hits {
		list = append(list, h.Entry)
	}
	return list
}

// concern counts records by kind: "2 decisions and 1 learning concern this:".
func concern(list []index.Entry) string {
	var kinds []string
	numbers := map[string]int{}
	for _, e := range list {
		kind := record.Noun(e.Type())
		if numbers[kind]++; numbers[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	for n, k := range kinds {
		kinds[n] = fault.Count(numbers[k], k, k+"s")
	}
	if len(list) == 1 {
		return kinds[0] + " concerns this:\n"
	}
	text, last := "", len(kinds)-1
	if last > 0 {
		text = strings.Join(kinds[:last], ", ") + " and "
	}
	return text + kinds[last] + " concern this:\n"
}

// forbidden matches what a learning forbids: the words after "never", "do not", "instead of" up to the end of the clause.
var forbidden = pattern.Late(`(?i)(?:(?:^|[^\pL\pN_])(?:never|do not|don['’]t|must not|should not|avoid|instead of|rather than` +
	`|not|не|нельзя|вместо|избега(?:й|йте|ть)|запрещено|запрещается)|,\s+no)\s+` +
	`([^.,;:()—\n]*(?:\.\w[^.,;:()—\n]*)*)`)

var (
	codeSpan = pattern.Late("`([^`\\n]+)`")
	word     = pattern.Late(`[\pL\pN_][\pL\pN_.:/-]*[\pL\pN_]|[\pL\pN_]`)
)

// editing are words for a change of a file, filing those between them and its name.
var editing = pattern.Words(`edit change modify touch rewrite
	менять меняй меняйте править правь правьте`)
var filing = pattern.Words(`file files folder folders directory code anything everything something below under inside
	файл файлы ничего`)

// plain are the words, beside stop words, that do not name what is forbidden.
var plain = pattern.Words(`use using used call calling write writing add adding make making put run running directly again
	использовать используй используйте применять применяй применяйте
	вызывать вызывай вызывайте писать пиши пишите добавлять
	добавляй добавляйте делай делайте следует`)

// forbids looks for what follows a forbidding word: code spans, else the first name of code, else all first words with a meaning.
func forbids(learning, text string, files ...string) bool {
	has := uniqueWords(text)
	for _, m := range forbidden().FindAllStringSubmatch(learning, -1) {
		spans := codeSpan().FindAllStringSubmatch(m[1], -1)
		if slices.ContainsFunc(spans, func(s []string) bool { return strings.Contains(text, s[1]) }) {
			return true
		}
		wanted := slices.DeleteFunc(uniqueWords(m[1]), func(w string) bool { return plain()[w] || index.Stop(w, true) })
		if len(wanted) > 0 && editing()[wanted[0]] {
			what := slices.DeleteFunc(slices.Clone(wanted[1:]), func(w string) bool { return filing()[w] })
			if len(what) > 0 && slices.ContainsFunc(files, func(f string) bool {
				return strings.HasPrefix(strings.ToLower(f)+"/", strings.TrimSuffix(what[0], "/")+"/")
			}) {
				return true
			}
		}
		if i := slices.IndexFunc(wanted, func(w string) bool { return strings.ContainsAny(w, "._:/") }); i >= 0 {
			wanted = wanted[i : i+1] // a name of code
		}
		wanted = wanted[:min(len(wanted), 3)]
		if len(spans) == 0 && len(wanted) > 0 && !slices.ContainsFunc(wanted, func(w string) bool { return !slices.Contains(has, w) }) {
			return true
		}
	}
	return false
}

func uniqueWords(text string) (words []string) {
	known := map[string]bool{}
	for _, w := range word().FindAllString(text[:min(len(text), mostMemory)], -1) {
		if w = strings.ToLower(w); !known[w] {
			known[w] = true
			words = append(words, w)
		}
	}
	return words
}

func (w *App) noted(session string) []string {
	if session == "" {
		return nil
	}
	src, _ := w.Store.ReadPrivate(notedFolder, noteName(session))
	return strings.Fields(string(src[:min(len(src), mostMemory)]))
}

// remember adds ids to those of a session. Where nothing can be written the session hears of a record again.
func (w *App) remember(session string, told, ids []string) {
	if session == "" {
		return
	}
	dir, err := w.Store.Private(notedFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	if len(told) == 0 {
		prune(dir)
	}
	f, err := dir.OpenFile(noteName(session), os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() < mostMemory {
		_, _ = f.WriteString(strings.Join(ids, "\n") + "\n")
	}
}

// ForgetNotes makes FileNote name every record again in a session, whose earlier text the agent no longer has.
func (w *App) ForgetNotes(session string) {
	if dir, err := w.Store.Private(notedFolder, false); err == nil {
		defer dir.Close()
		_ = dir.Remove(noteName(session))
	}
}

func noteName(session string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(session)))[:16] }

// prune removes the files of sessions that are over.
func prune(dir *os.Root) {
	list, _ := fs.ReadDir(dir.FS(), ".")
	for _, e := range list {
		if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > sessionAge {
			_ = dir.Remove(e.Name())
		}
	}
}
