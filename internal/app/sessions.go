package app

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"sdd/internal/candidate"
	"sdd/internal/fault"
	"sdd/internal/learning"
	"sdd/internal/learning/signal"
	"sdd/internal/record"
	"sdd/internal/secrets"
	"sdd/internal/session"
	"sdd/internal/transcript"
)

// Capture says how CaptureTranscript reads a transcript.
type Capture struct {
	Background bool         // put everything into the queue of the inbox, so that no file of the work tree changes
	Since      time.Time    // leave out older messages; messages without a time have that of the file
	Tool       string       // the caller, for the journal
	Progress   func(mb int) // reports the megabytes that were read; may be nil
}

type Captured struct {
	Format      string            `json:"format"`
	DryRun      bool              `json:"dry_run"`
	Transcripts int               `json:"transcripts"`
	Messages    int               `json:"messages"`
	Found       int               `json:"found"` // decisions, corrections and commands, those known already among them
	Learnings   []learning.Stored `json:"learnings"`
	candidate.Report
}

// CaptureTranscript finds decisions, corrections and learnings in the transcript of a session, and puts them into the inbox: each with
// the transcript's name, line and sentence. Signals such as <swarm>LEARNING_LOCAL:…</swarm> become learnings. Secrets are masked. What
// the store has already, or refused once, is not added again, so that a transcript may be read as often as it grows, and by several
// processes at once. format "" is that of the file's content. The files of Claude Code's subagents are read along.
//
// Faults: NotFound (no such file), Invalid (an unknown format), Unwritable.
func (w *App) CaptureTranscript(ctx context.Context, path string, format transcript.Format, o Capture) (out Captured, err error) {
	defer fault.Caught(&err)
	out = newCaptured(format)
	w.captureFile(ctx, path, o, &out)
	if out.Format != string(transcript.ClaudeCode) {
		return out, nil
	}
	folder := filepath.Join(strings.TrimSuffix(path, filepath.Ext(path)), "subagents")
	subagents, _ := os.ReadDir(folder)
	for _, file := range subagents {
		if filepath.Ext(file.Name()) == ".jsonl" {
			w.captureFile(ctx, filepath.Join(folder, file.Name()), o, &out)
		}
	}
	return out, nil
}

// Text renders the result for a person: candidates as data, and what was left out as numbers.
func (c Captured) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s in %s: %d to be reviewed, %d known already, %s\n", fault.Count(c.Messages, "message", "messages"),
		fault.Count(c.Transcripts, "transcript", "transcripts"), len(c.Candidates), len(c.Skipped),
		fault.Count(len(c.Learnings), "learning", "learnings"))
	b.WriteString(candidate.Text(c.Candidates))
	for _, w := range c.Warnings {
		b.WriteString("warning: " + record.OneLine(w) + "\n")
	}
	if len(c.Candidates) > 0 {
		b.WriteString("sdd review list --kind candidate shows them with their evidence; sdd review approve ID… makes records of them\n")
	}
	return b.String()
}

// CaptureTranscripts captures every transcript of a format in files and folders, the files of a folder by name. A file of a folder that
// is no transcript of the format is passed over. Faults: those of CaptureTranscript.
func (w *App) CaptureTranscripts(ctx context.Context, paths []string, format transcript.Format, o Capture) (all Captured, err error) {
	defer fault.Caught(&err)
	all = newCaptured(format)
	for _, path := range paths {
		fault.Check(filepath.WalkDir(path, func(file string, e fs.DirEntry, err error) error {
			switch {
			case err != nil && file == path:
				return fault.New(fault.NotFound, "the transcript cannot be read: %v", err).For("PATH")
			case err != nil || e.IsDir() || file != path && (!e.Type().IsRegular() || !isTranscript(file, format)):
				return ctx.Err()
			}
			w.captureFile(ctx, file, o, &all)
			return nil
		}))
	}
	return all, nil
}

func newCaptured(f transcript.Format) Captured {
	return Captured{Format: string(f), Learnings: []learning.Stored{}, Report: candidate.Report{
		Approved: []candidate.Candidate{}, Candidates: []candidate.Candidate{}, Skipped: []candidate.Candidate{},
	}}
}

// isTranscript reports whether a file of a folder has a format; Cursor's exports look like any chat in Markdown.
func isTranscript(file string, format transcript.Format) bool {
	is := transcript.DetectFile(file)
	return is == format || is == transcript.MarkdownChat && format == transcript.Cursor
}

func (w *App) captureFile(ctx context.Context, path string, o Capture, out *Captured) {
	f, err := os.Open(path)
	if err != nil {
		fault.Check(fault.New(fault.NotFound, "the transcript cannot be read: %v", err).For("PATH"))
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil || st.IsDir() || st.Mode()&fs.ModeCharDevice != 0 { // /dev/zero has no end
		fault.Check(fault.New(fault.Invalid, "%q is no file", path).For("PATH"))
	}
	from := bufio.NewReaderSize(&meter{from: f, progress: o.Progress}, 64<<10)
	if out.Format == "" {
		head, _ := from.Peek(64 << 10)
		if out.Format = string(transcript.Detect(path, head)); out.Format == "" {
			fault.Check(fault.New(fault.Invalid, "%q is no transcript that is known", filepath.Base(path)).For("PATH").
				With("give --format: " + transcript.Names()))
		}
	}
	c := capturing{w: w, o: o, out: out, path: path, name: filepath.Base(path), at: st.ModTime()}
	fault.Check(transcript.Read(from, transcript.Format(out.Format), func(m transcript.Message) error {
		if m.Time.IsZero() {
			m.Time = c.at
		}
		c.at = m.Time
		if err := ctx.Err(); err != nil || m.Time.Before(o.Since) {
			return err
		}
		c.message(ctx, m)
		return nil
	}))
	c.store(ctx)
}

type capturing struct {
	w      *App
	o      Capture
	out    *Captured
	path   string
	name   string    // of the file
	at     time.Time // of the message before, at first of the file
	masker secrets.Masker
	finder session.Finder
	found  []candidate.Candidate
}

func (c *capturing) message(ctx context.Context, m transcript.Message) {
	c.out.Messages++
	m.Text, m.Command = c.masker.Mask(m.Text), c.masker.Mask(m.Command)
	if m.Role == transcript.Agent && strings.Contains(m.Text, "<") {
		c.signals(ctx, m)
	}
	for _, f := range c.finder.Add(m) {
		c.found = append(c.found, c.candidate(f))
	}
}

// signals keeps the learnings that the agent announces; in the background they become candidates.
func (c *capturing) signals(ctx context.Context, m transcript.Message) {
	fault.Must(signal.Scan(strings.NewReader(m.Text), 0, func(s signal.Signal) error {
		if c.o.Background {
			c.found = append(c.found, c.candidate(session.Finding{Content: s.Content, Sentence: record.Brief(s.Content),
				Line: m.At(s.Line), Rule: s.Name, Confidence: candidate.Sure - .01, Time: m.Time, Session: m.Session}))
			return nil
		}
		in := learning.Input{Content: s.Content, Scope: record.Local, Tool: c.o.Tool, Session: m.Session}
		if s.Global {
			in.Scope = record.Global
		}
		got, err := c.w.Learnings.Learn(ctx, in)
		if fault.Is(err, fault.Invalid, fault.Broken, fault.Ambiguous, fault.Conflict) {
			c.out.Warnings = append(c.out.Warnings, fmt.Sprintf("%s:%d: %v", c.name, m.At(s.Line), err))
			return nil
		}
		c.out.Learnings = append(c.out.Learnings, got.Results...)
		return err
	}))
}

// candidate returns a finding as a candidate with its evidence. A correction becomes a learning.
func (c *capturing) candidate(f session.Finding) candidate.Candidate {
	k := candidate.Candidate{
		Kind: string(record.Idea), Color: record.Learning, Content: f.Content, Confidence: f.Confidence, Signal: f.Rule, Causes: f.Causes,
		Source: "session " + record.OneLine(cmp.Or(f.Session, c.name)), Created: record.Stamp(f.Time),
	}
	if f.Kind == session.Decision {
		k.Kind, k.Color = string(record.Decision), ""
	}
	if f.Proposal != "" {
		k.Evidence = append(k.Evidence, candidate.Evidence{Path: c.name, Lines: fmt.Sprintf("L%d", f.ProposedAt), Text: f.Proposal})
	}
	k.Evidence = append(k.Evidence, candidate.Evidence{Path: c.name, Lines: fmt.Sprintf("L%d", f.Line), Text: f.Sentence})
	return k
}

func (c *capturing) store(ctx context.Context) {
	if c.out.Found += len(c.found); len(c.found) > 0 {
		c.w.rememberTranscript(c.path, c.out.Format)
	}
	c.out.Transcripts++
	if c.o.Background {
		added, err := c.w.Inbox.Enqueue(ctx, c.found)
		c.out.Candidates = append(c.out.Candidates, added...)
		fault.Check(err)
		return
	}
	stored, err := c.w.Inbox.Put(ctx, c.found, candidate.By{Tool: c.o.Tool})
	for _, s := range stored {
		if s.Action == candidate.Created {
			c.out.Candidates = append(c.out.Candidates, s.Candidate)
		} else {
			c.out.Skipped = append(c.out.Skipped, s.Candidate)
		}
	}
	fault.Check(err)
}

type meter struct {
	from     *os.File
	progress func(mb int)
	read     int64
}

func (m *meter) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if m.read += int64(n); m.progress != nil {
		m.progress(int(m.read >> 20))
	}
	return n, err
}

// Evidence names a transcript by the name of its file. Only .sdd/.local/transcripts of this machine has its path.

const (
	transcriptsFolder = "transcripts"
	saidBefore        = 2 // messages
)

// rememberTranscript stores the format and path of a transcript. Without it a page shows the quoted line alone.
func (w *App) rememberTranscript(path, format string) {
	path, err := filepath.Abs(path)
	if err != nil || !w.Store.Exists() {
		return
	}
	dir, err := w.Store.Private(transcriptsFolder, true)
	if err != nil {
		return
	}
	defer dir.Close()
	_ = dir.WriteFile(filepath.Base(path), []byte(format+" "+path), 0o600)
}

// Said returns the messages around a line of a captured transcript, secrets masked, and which has the line; none without the file.
func (w *App) Said(ctx context.Context, name string, line int) (said []transcript.Message, at int) {
	src, err := w.Store.ReadPrivate(transcriptsFolder, name)
	if err != nil || filepath.Base(name) != name {
		return nil, 0
	}
	format, path, _ := strings.Cut(string(src), " ")
	f, err := os.Open(path)
	if err != nil {
		return nil, 0
	}
	defer f.Close()
	var masker secrets.Masker
	enough := errors.New("enough")
	_ = transcript.Read(f, transcript.Format(format), func(m transcript.Message) error {
		m.Text, m.Command = masker.Mask(m.Text), masker.Mask(m.Command)
		said = append(said, m)
		if m.Line > line {
			return enough
		}
		at = min(len(said)-1, saidBefore)
		said = said[len(said)-1-at:]
		return ctx.Err()
	})
	return said, at
}
