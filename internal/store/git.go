package store

import (
	"bytes"
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"sdd/internal/config"
	"sdd/internal/fault"
	"sdd/internal/git"
	"sdd/internal/journal"
	"sdd/internal/record"
	"sdd/internal/sealed"
)

// A version that git puts in place (a checkout, a pull, a reset) may lack changes of tools. They are not lost while a commit has them: git
// removed a change when the staged file lacks it, and it is safe when a branch or tag leads to a version that has it. The store asks git
// only when a change seems lost.

const (
	gitPatience   = 3 * time.Second
	mostCommitted = 32             // committed versions of a file that are compared, the latest first
	clockSlack    = 24 * time.Hour // by which the clocks of committers may differ
)

// commits caches git's data about the store until git's index changes, since a change of branch asks for every file.
type commits struct {
	mu       sync.Mutex
	index    Stat                // of git's index when the rest was read
	staged   map[string][]string // the ids of the staged files, by path in the store; of one in conflict those of both sides
	versions map[string][]string // mostCommitted committed versions at most, the latest first, by path in the store
	since    time.Time           // versions has the commits since this time
	failed   bool                // git took too long for versions
}

// uncommitted returns the changes that are really lost: not those that a committed version has, also under the file's name at the change,
// nor, where git put the file in place, those that an undo had brought back: a user who restores a version then wants that one.
func (s *Store) uncommitted(t *tree, path string, lost []journal.Loss) []journal.Loss {
	repo, err := git.Open(s.dir)
	if err != nil {
		return lost
	}
	c := &s.commits
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), gitPatience)
	defer cancel()
	if c.stage(ctx, s.sdd, repo) != nil {
		return lost
	}
	objects := repo.Objects(ctx)
	defer objects.Close()
	names := []string{path}
	for _, a := range lost {
		names = record.Union(names, a.Entry.Path)
	}
	staged := slices.IndexFunc(names, func(name string) bool { return len(c.staged[name]) > 0 })
	if staged < 0 {
		return lost
	}
	byEditor, byGit := lost, []journal.Loss(nil)
	for _, id := range c.staged[names[staged]] { // a change that one side of a conflict lacks may be gone by the merge
		version, err := objects.Read(id)
		if err != nil {
			return lost
		}
		there, gone := s.parted(t, path, names[staged], version, byEditor)
		byEditor, byGit = there, append(byGit, gone...)
	}
	if staged == 0 {
		byGit = slices.DeleteFunc(byGit, func(a journal.Loss) bool { return a.Entry.Op == journal.Undo })
	}
	earliest := func(a, b journal.Loss) int { return a.Entry.Time.Compare(b.Entry.Time) }
	if len(byGit) > 0 && c.history(ctx, s.sdd, slices.MinFunc(byGit, earliest).Entry.Time.Add(-clockSlack)) {
		for _, name := range names {
			for _, id := range c.versions[name] {
				if version, err := objects.Read(id); err == nil && len(byGit) > 0 {
					_, byGit = s.parted(t, path, name, version, byGit)
				}
			}
		}
	}
	return slices.SortedFunc(slices.Values(append(byEditor, byGit...)), journal.Older)
}

// parted divides changes into those that the file's version under a name has and the others. Another record's version has none.
func (s *Store) parted(t *tree, path, name string, version []byte, all []journal.Loss) (there, gone []journal.Loss) {
	f := s.describe(name, record.Open(version))
	if len(all) > 0 && name != path && f.Record != all[0].Entry.Record {
		return nil, all
	}
	return t.journal.Part(path, f, all)
}

// history reads the versions since a time; false when git takes too long, and then until the index changes, so that no caller waits again.
func (c *commits) history(ctx context.Context, sdd string, since time.Time) bool {
	if c.failed || c.versions != nil && !since.Before(c.since) {
		return !c.failed
	}
	var err error
	c.versions, err = logged(ctx, sdd, since)
	c.since, c.failed = since, err != nil
	return err == nil
}

// stage lists the staged files when git's index changed since the last call. The history is then read again too: a commit writes the index.
func (c *commits) stage(ctx context.Context, sdd string, repo *git.Repo) error {
	st, ok := statFile(filepath.Join(repo.Dir, "index"))
	if ok && st == c.index {
		return nil
	}
	c.index, c.staged, c.versions, c.failed = Stat{}, map[string][]string{}, nil, false
	out, err := git.Run(ctx, sdd, "ls-files", "--stage", "-z", "--", ".")
	if err != nil {
		return err
	}
	for entry := range strings.SplitSeq(string(out), "\x00") {
		about, path, ok := strings.Cut(entry, "\t")
		if w := strings.Fields(about); ok && len(w) == 3 && w[2] != "1" { // not the base of a conflict
			path = strings.Clone(path)
			c.staged[path] = append(c.staged[path], strings.Clone(w[1]))
		}
	}
	c.index = st
	return nil
}

// logged lists the versions that branches and tags had in the store since then: at most mostCommitted for each path, the latest first.
func logged(ctx context.Context, sdd string, since time.Time) (map[string][]string, error) {
	out, err := git.Run(ctx, sdd, "log", "--all", "-m", "--raw", "--no-abbrev", "--no-renames", "--relative", "-z", "--format=",
		fmt.Sprintf("--since=@%d", since.Unix()), "--", ".")
	if err != nil {
		return nil, err
	}
	versions := map[string][]string{}
	var about []string // the fields before a path: modes, ids, status
	for field := range strings.SplitSeq(string(out), "\x00") {
		if about == nil {
			if w := strings.Fields(field); len(w) == 5 && w[0][0] == ':' {
				about = w
			}
			continue
		}
		for _, id := range []string{about[3], about[2]} { // after, before
			all := versions[field]
			if strings.Trim(id, "0") != "" && len(all) < mostCommitted && !slices.Contains(all, id) {
				versions[strings.Clone(field)] = append(all, strings.Clone(id))
			}
		}
		about = nil
	}
	return versions, nil
}

// Undone returns the pending notices, without those of files that are as git wrote them when it moved HEAD since.
func (s *Store) Undone(ctx context.Context) []Notice {
	all := s.Pending()
	asHead := func(n Notice) bool { // the file was written after the note, and HEAD has it so
		f, err := s.Read(n.Path)
		return err == nil && f.Stat.Mtime > n.Time.UnixNano() && s.AsIn(ctx, "HEAD", n.Path)
	}
	repo, err := git.Open(s.dir)
	if err != nil || !slices.ContainsFunc(all, asHead) {
		return all
	}
	first := slices.MinFunc(all, func(a, b Notice) int { return a.Time.Compare(b.Time) })
	sdd, written := PathIn(repo, s.dir), map[string]int64{}
	for _, m := range repo.Moves(ctx, first.Time.Unix()) {
		deltas, _ := repo.Deltas(ctx, m.From, m.To, sdd)
		for _, d := range deltas {
			written[d.Path] = max(written[d.Path], m.At)
		}
	}
	return slices.DeleteFunc(all, func(n Notice) bool { return n.Time.Unix() <= written[sdd+"/"+n.Path] && asHead(n) })
}

// AsIn reports whether a file has the bytes that it has in the commit rev, or with rev "" those that git has staged: of the commit
// which is checked out, or of another one from which the user restored the file.
func (s *Store) AsIn(ctx context.Context, rev, path string) bool {
	repo, err := git.Open(s.dir)
	if err != nil {
		return false
	}
	f, err := s.Read(path)
	if err != nil {
		return false
	}
	show := repo.ShowStaged
	if rev != "" {
		show = func(ctx context.Context, path string) ([]byte, error) { return repo.Show(ctx, rev, path) }
	}
	src, err := show(ctx, PathIn(repo, s.dir)+"/"+path)
	return err == nil && bytes.Equal(src, f.Bytes)
}

// PathIn returns the path of the store of the folder dir, relative to the top of the work tree.
func PathIn(repo *git.Repo, dir string) string {
	rel, err := filepath.Rel(repo.Top, filepath.Join(dir, Folder))
	if err != nil {
		return Folder
	}
	return filepath.ToSlash(rel)
}

// InCommit returns the records of the store of dir in a commit, by their paths in .sdd, without links, personal and private ones.
func InCommit(ctx context.Context, repo *git.Repo, dir, commit string) (files []git.Entry, err error) {
	under := PathIn(repo, dir)
	all, err := repo.Tree(ctx, commit, under)
	for _, f := range all {
		var ok bool
		if f.Path, ok = strings.CutPrefix(f.Path, under+"/"); !ok || f.Link ||
			strings.HasPrefix(f.Path, "personal/") || strings.HasPrefix(f.Path, sealed.Folder+"/") {
			continue
		}
		if _, known := record.KindOf(f.Path); known && filepath.IsLocal(filepath.FromSlash(f.Path)) {
			files = append(files, f)
		}
	}
	return files, err
}

// Ignored describes why git ignores new records: no commit will have them.
type Ignored struct {
	git.Ignore
	Tracked int // files of the store that git tracks all the same, since the user added them by force

	Above bool // git ignores a folder above .sdd: a later line in .gitignore cannot include the records
}

// Text names the pattern and its effect.
func (i *Ignored) Text() string {
	text := fmt.Sprintf("git ignores %s by %q in %s:%d: ", Folder, i.Pattern, i.Source, i.Line)
	switch i.Tracked {
	case 0:
		return text + "no commit holds the records, and git clean -X deletes them"
	case 1:
		return text + "no commit holds new records; 1 file is tracked, as it was added by force"
	}
	return fmt.Sprintf("%sno commit holds new records; %d files are tracked, as they were added by force", text, i.Tracked)
}

// Fix returns the hint for the user.
func (i *Ignored) Fix() string {
	fix := "sdd init --unignore puts !/" + Folder + "/ into .gitignore"
	if i.Above {
		fix = "take the pattern out, or keep the store in another folder (--dir)"
	}
	return fix + "; if it is on purpose, set ignored: true in " + Folder + "/" + config.Name
}

// Ignored reports whether git ignores new records; nil where it takes them, outside git, and where they are ignored on purpose.
func (s *Store) Ignored(ctx context.Context) (*Ignored, error) {
	repo, err := git.Open(s.dir)
	if err != nil {
		return nil, nil
	}
	if cfg, _ := s.Config(); cfg.Ignored {
		return nil, nil
	}
	root, _ := filepath.Rel(repo.Top, s.dir)
	root = path.Clean(filepath.ToSlash(root)) + "/"
	store := path.Join(root, Folder)
	folders := []string{store + "/"}
	if root != "./" {
		folders = append(folders, root)
	}
	var samples []string
	for _, k := range record.Kinds {
		samples = append(samples, path.Join(store, record.Folder(k), "new-record.md"))
	}
	found, err := repo.Ignored(ctx, append(append(folders, samples...), store+"/"+config.Name)...)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	for _, at := range append([]string{root, store + "/", store + "/" + config.Name}, samples...) {
		by, ok := found[at]
		if !ok || strings.HasPrefix(by.Source, store+"/") {
			continue
		}
		tracked, err := repo.Run(ctx, "ls-files", "-z", "--", store)
		return &Ignored{Ignore: by, Tracked: bytes.Count(tracked, []byte{0}), Above: at == root}, err
	}
	return nil, nil
}

// NewlyIgnored is Ignored, once, after this process has created its first record. Any other call returns nil.
func (s *Store) NewlyIgnored(ctx context.Context) *Ignored {
	if !s.created.CompareAndSwap(true, false) || s.warned.Swap(true) {
		return nil
	}
	i, _ := s.Ignored(ctx) // the doctor reports errors of git
	return i
}

// Conflict markers in a code fence may be documentation. Only git's index tells: it has the file in conflict until the user stages it. The
// store asks only about files with such markers; without an answer they count as documentation.

// Unmerged is a record that git has in conflict, with the markers in a code fence.
type Unmerged struct {
	Path string // relative to .sdd
	Line int    // of the first marker
}

// ConflictLine returns the line of the first marker of a merge in a fence of src, the file at path; 0 for none, and for documentation.
func (s *Store) ConflictLine(ctx context.Context, path string, src []byte) int {
	fenced := record.Fenced(src)
	if len(fenced) == 0 || len(git.InConflict(ctx, s.sdd, path)) == 0 {
		return 0
	}
	return fenced[0].Line
}

// Unmerged lists the records that git has in conflict and whose markers are in fences, so that only git shows the conflict.
func (s *Store) Unmerged(ctx context.Context) []Unmerged {
	var all []Unmerged
	for _, p := range git.InConflict(ctx, s.sdd) {
		if _, ok := record.KindOf(p); !ok {
			continue
		}
		f, err := s.Read(p)
		if err != nil || record.ConflictMarkers(f.Bytes) > 0 {
			continue
		}
		if fenced := record.Fenced(f.Bytes); len(fenced) > 0 {
			all = append(all, Unmerged{p, fenced[0].Line})
		}
	}
	return all
}

// refuseUnmerged returns the reason not to write to the file name; at is its path when links are followed.
func (s *Store) refuseUnmerged(ctx context.Context, name, at string, src []byte) error {
	line := s.ConflictLine(ctx, at, src)
	switch {
	case ctx.Err() != nil:
		return &fault.Error{Code: fault.Unavailable, Message: "the call was cancelled; nothing was written", Cause: ctx.Err()}
	case line > 0:
		return record.Unmerged(line).At(shown(name), line)
	}
	return nil
}
