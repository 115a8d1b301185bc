package extract

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"sdd/internal/fault"
	"sdd/internal/git"
)

// Limits of what is read. A commit beyond them is read in part and says so.
const (
	maxFiles       = 1000     // of a commit that a reader may know
	maxFile        = 1 << 20  // bytes of a version of a file
	maxCommitBytes = 32 << 20 // of the files of one commit
	maxDeltas      = 50_000   // of a commit
	maxRunBytes    = 1 << 30  // of all commits
)

// source reads commits from a repository into an analysis.
type source struct {
	ctx      context.Context
	repo     *git.Repo
	analysis *analysis
	objects  *git.Objects
	sizes    map[string]int64
	kept     map[string][]byte // bytes of recent objects: what one commit made the next one changes
	keptSize int
	read     int64
}

// commits analyses those that to has and from has not.
func (s *source) commits(from, to string, limit int) error {
	all, more, err := s.repo.Revisions(s.ctx, from, to, limit, maxDeltas)
	if err != nil {
		return err
	}
	s.analysis.more = more
	s.objects = s.repo.Objects(s.ctx)
	defer s.objects.Close()
	var ids []string
	wanted := make([][]git.Delta, len(all))
	for i, r := range all {
		wanted[i] = known(r.Deltas)
		for _, d := range wanted[i] {
			ids = append(ids, idsOf(d)...)
		}
	}
	if s.sizes, err = s.repo.Sizes(s.ctx, ids); err != nil {
		return err
	}
	for i, r := range all {
		if err := s.ctx.Err(); err != nil {
			return err
		}
		c := Commit{ID: r.ID, Parents: len(r.Parents), Message: r.Message, Boundary: r.Boundary, Paths: r.Files}
		for _, d := range r.Deltas {
			c.Touched = append(c.Touched, d.Path)
		}
		if len(r.Deltas) < r.Files {
			s.analysis.cut(r.ID, "", fmt.Sprintf("only the first %d of its %d files were looked at", len(r.Deltas), r.Files))
		}
		before, after := "", r.ID
		if len(r.Parents) > 0 {
			before = r.Parents[0]
		}
		c.Had = func(dir string) bool { return before != "" && s.folder(before, dir) }
		c.Has = func(dir string) bool { return s.folder(after, dir) }
		if err := s.fill(&c, wanted[i], s.object); err != nil {
			return err
		}
		s.analysis.commit(c)
	}
	return nil
}

// known returns the changes of files that a reader knows.
func known(deltas []git.Delta) (wanted []git.Delta) {
	for _, d := range deltas {
		if read, _ := interest(d.Path); read {
			wanted = append(wanted, d)
		}
	}
	return wanted
}

func idsOf(d git.Delta) (ids []string) {
	if len(d.Old) > 0 && d.Old[0] != "" {
		ids = append(ids, d.Old[0])
	}
	if d.New != "" {
		ids = append(ids, d.New)
	}
	return ids
}

// fill reads the files of a commit, within the limits. Of a file without New that is there, after reads the bytes.
func (s *source) fill(c *Commit, deltas []git.Delta, object func(id string) ([]byte, error)) error {
	var total int64
	for n, d := range deltas {
		if n == maxFiles {
			s.analysis.cut(c.ID, "", fmt.Sprintf("only %d of the %d files that could tell something were read", maxFiles, len(deltas)))
			break
		}
		var size, largest int64
		for _, id := range idsOf(d) {
			size += s.sizes[id]
			largest = max(largest, s.sizes[id])
		}
		if largest > maxFile {
			s.analysis.skip(c.ID, d.Path, fmt.Sprintf("larger than %d bytes", maxFile))
			continue
		}
		if total += size; total > maxCommitBytes {
			s.analysis.cut(c.ID, "", fmt.Sprintf("only the first %d MiB of its files were read", maxCommitBytes>>20))
			break
		}
		if s.read += size; s.read > maxRunBytes {
			s.analysis.cut(c.ID, "", "too much was read before it: name a shorter range")
			break
		}
		f := File{Path: d.Path, Gone: d.Gone}
		ok := true
		if len(d.Old) > 0 && d.Old[0] != "" {
			f.Before, ok = s.bytes(c, d.Path, d.Old[0], object)
		} else {
			f.New = true
		}
		if ok && !d.Gone {
			id := d.New
			if id == "" {
				id = onDisk + d.Path
			}
			f.After, ok = s.bytes(c, d.Path, id, object)
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		if ok {
			c.Files = append(c.Files, f)
		}
	}
	return nil
}

// bytes reads one version of a file. One that is not there, or not text, is skipped.
func (s *source) bytes(c *Commit, path, id string, object func(id string) ([]byte, error)) ([]byte, bool) {
	b, err := object(id)
	switch {
	case err != nil && s.ctx.Err() != nil:
		return nil, false
	case err != nil:
		why := "cannot be read"
		if fault.Is(err, fault.NotFound) {
			why = "not in this clone"
		} else if fault.Is(err, fault.Broken) {
			why = fault.Of(err).Message
		}
		s.analysis.skip(c.ID, path, why)
		return nil, false
	case binary(b):
		s.analysis.skip(c.ID, path, "binary")
		return nil, false
	}
	return b, true
}

const maxKept = 64 << 20

// object reads an object, or remembers it.
func (s *source) object(id string) ([]byte, error) {
	if b, ok := s.kept[id]; ok {
		return b, nil
	}
	b, err := s.objects.Read(id)
	if err != nil {
		return nil, err
	}
	if s.keptSize += len(b); s.keptSize > maxKept || s.kept == nil {
		s.kept, s.keptSize = map[string][]byte{}, len(b)
	}
	s.kept[id] = b
	return b, nil
}

// folder reports whether the commit has files at and below dir.
func (s *source) folder(commit, dir string) bool {
	if strings.ContainsAny(dir, "\n\x00") {
		return true // it cannot be asked for: nothing is said of it
	}
	_, err := s.object(commit + ":" + dir)
	return err == nil
}

const onDisk = "disk:" // before a path in place of an object's id

// staged analyses what the next commit will hold.
func (s *source) staged() error {
	stage, err := git.OpenStage(s.repo.Top)
	if err != nil {
		return err
	}
	deltas, err := stage.Deltas(s.ctx)
	if err != nil {
		return err
	}
	return s.uncommitted(deltas, stage.Objects(s.ctx))
}

// workTree analyses what is not committed.
func (s *source) workTree() error {
	head, err := s.repo.Head(s.ctx)
	if err != nil {
		return err
	}
	deltas, err := s.repo.Deltas(s.ctx, head, git.WorkTree)
	if err != nil {
		return err
	}
	return s.uncommitted(deltas, s.repo.Objects(s.ctx))
}

func (s *source) uncommitted(deltas []git.Delta, objects *git.Objects) error {
	s.objects = objects
	defer s.objects.Close()
	root, err := os.OpenRoot(s.repo.Top)
	if err != nil {
		return fault.New(fault.Unavailable, "the work tree cannot be read: %v", err)
	}
	defer root.Close()
	wanted := known(deltas)
	var ids []string
	for _, d := range wanted {
		ids = append(ids, idsOf(d)...)
	}
	if s.sizes, err = s.repo.Sizes(s.ctx, ids); err != nil {
		return err
	}
	head, err := s.repo.Head(s.ctx)
	if err != nil {
		return err
	}
	c := Commit{Parents: 1, Paths: len(deltas)}
	for _, d := range deltas {
		c.Touched = append(c.Touched, d.Path)
	}
	c.Had = func(dir string) bool { return head != "" && s.folder(head, dir) }
	c.Has = func(dir string) bool {
		_, err := root.Stat(dir)
		return err == nil
	}
	err = s.fill(&c, wanted, func(id string) ([]byte, error) {
		if path, ok := strings.CutPrefix(id, onDisk); ok {
			return readFile(root, path)
		}
		return s.object(id)
	})
	if err == nil && len(deltas) > 0 {
		s.analysis.commit(c)
	}
	return err
}

// readFile reads a regular file of the work tree, up to the limit.
func readFile(root *os.Root, path string) ([]byte, error) {
	info, err := root.Lstat(path) // before opening, which would wait at a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, fault.New(fault.Broken, "no regular file")
	}
	if info.Size() > maxFile {
		return nil, fault.New(fault.Broken, "larger than %d bytes", maxFile)
	}
	f, err := root.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile))
}
