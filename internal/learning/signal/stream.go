package signal

import (
	"bufio"
	"bytes"
	"io"
)

// stream is a window on a reader: some bytes are always in view ahead of the scan.
type stream struct {
	buf    *bufio.Reader
	line   int // of the scan, from 1
	counts bool
	eof    bool
	err    error // other than io.EOF; ends the stream
}

// reset begins a stream of a reader with up to size bytes in view. It keeps the buffer, which has room to move a byte once at most.
func (s *stream) reset(src io.Reader, size, line int) {
	if s.buf == nil {
		s.buf = bufio.NewReaderSize(nil, 3*size)
	}
	s.buf.Reset(src)
	*s = stream{buf: s.buf, line: line}
}

// view returns the bytes ahead: at least n (size at most), unless the stream ends before.
// It is valid until the next view.
func (s *stream) view(n int) []byte {
	if !s.eof && s.buf.Buffered() < n {
		if _, err := s.buf.Peek(n); err != nil {
			s.eof = true
			if err != io.EOF {
				s.err = err
			}
		}
	}
	v, _ := s.buf.Peek(s.buf.Buffered())
	return v
}

// skip moves on by n bytes, which are in view.
func (s *stream) skip(n int) {
	if s.counts {
		v, _ := s.buf.Peek(n)
		s.line += bytes.Count(v, []byte("\n"))
	}
	s.buf.Discard(n)
}
