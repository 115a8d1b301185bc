package signal

import (
	"bytes"
	"io"
)

// stream is a window on a reader: some bytes are always in view ahead of the scan.
type stream struct {
	src    io.Reader
	buf    []byte
	at     int // the place of the scan in buf
	size   int // how much is kept in view
	line   int // of the scan, from 1
	counts bool
	eof    bool
	err    error // other than io.EOF; ends the stream
}

// maxEmpty bounds reads that bring nothing, as bufio does.
const maxEmpty = 100

// view returns what lies ahead: at least n bytes (size at most), unless the stream ends before.
// It is valid until the next view.
func (s *stream) view(n int) []byte {
	if len(s.buf)-s.at >= n || s.eof {
		return s.buf[s.at:]
	}
	for empty := 0; len(s.buf)-s.at < n; {
		s.room()
		k, err := s.src.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+k]
		if empty++; k > 0 {
			empty = 0
		}
		if err == nil && empty == maxEmpty {
			err = io.ErrNoProgress
		}
		if err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
			break
		}
	}
	return s.buf[s.at:]
}

// room makes place for what is read next. The buffer grows with the bytes in view, to three times the size in view:
// then a byte is moved once at most.
func (s *stream) room() {
	const least = 4 << 10
	if cap(s.buf)-len(s.buf) >= least {
		return
	}
	live := s.buf[s.at:]
	if want := min(3*s.size, max(4*least, 2*cap(s.buf))); 2*len(live) >= cap(s.buf) && want > cap(s.buf) {
		s.buf = append(make([]byte, 0, want), live...)
	} else {
		s.buf = s.buf[:copy(s.buf[:cap(s.buf)], live)]
	}
	s.at = 0
}

// skip moves on by n bytes, which are in view.
func (s *stream) skip(n int) {
	if s.counts {
		s.line += bytes.Count(s.buf[s.at:s.at+n], []byte("\n"))
	}
	s.at += n
}

// reuse makes s a stream of another reader that keeps its buffer.
func (s *stream) reuse(src io.Reader, size, line int) {
	*s = stream{src: src, buf: s.buf[:0], size: size, line: line}
}
