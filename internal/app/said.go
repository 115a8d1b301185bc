package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"sdd/internal/secrets"
	"sdd/internal/transcript"
)

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

// Said returns the messages around a line of a transcript that this machine has captured, with secrets masked, and which of them has the
// line; none when the file is not there any more.
func (w *App) Said(ctx context.Context, name string, line int) (said []transcript.Message, at int) {
	dir, err := w.Store.Private(transcriptsFolder, false)
	if err != nil || filepath.Base(name) != name {
		return nil, 0
	}
	defer dir.Close()
	src, err := dir.ReadFile(name)
	if err != nil {
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
