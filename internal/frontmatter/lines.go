package frontmatter

// YAML ends a line at LF, CRLF, a lone CR, U+0085, U+2028 and U+2029.

// lineBreak returns the length of the line break at i as YAML has them, 0 if there is none.
func lineBreak(b []byte, i int) int {
	switch {
	case i >= len(b):
	case b[i] == '\n':
		return 1
	case b[i] == '\r':
		if i+1 < len(b) && b[i+1] == '\n' {
			return 2
		}
		return 1
	case b[i] == 0xc2 && i+1 < len(b) && b[i+1] == 0x85:
		return 2
	case b[i] == 0xe2 && i+2 < len(b) && b[i+1] == 0x80 && (b[i+2] == 0xa8 || b[i+2] == 0xa9):
		return 3
	}
	return 0
}

// blankAt returns the length of the white space or line break at i.
func blankAt(b []byte, i int) int {
	if b[i] == ' ' || b[i] == '\t' {
		return 1
	}
	return lineBreak(b, i)
}

// lineContentEnd returns where the line at i ends, its break not included.
func lineContentEnd(b []byte, i int) int {
	for i < len(b) && lineBreak(b, i) == 0 {
		i++
	}
	return i
}

// lineAfter returns where the line below the one at i begins.
func lineAfter(b []byte, i int) int {
	i = lineContentEnd(b, i)
	return i + lineBreak(b, i)
}

// lineStart returns where the line that holds i begins, not before from.
func lineStart(b []byte, from, i int) int {
	for i > from && !endsInBreak(b[from:i]) {
		i--
	}
	return i
}

func endsInBreak(b []byte) bool {
	n := len(b)
	switch {
	case n == 0:
		return false
	case b[n-1] == '\n' || b[n-1] == '\r':
		return true
	case n >= 2 && b[n-2] == 0xc2 && b[n-1] == 0x85:
		return true
	}
	return n >= 3 && b[n-3] == 0xe2 && b[n-2] == 0x80 && (b[n-1] == 0xa8 || b[n-1] == 0xa9)
}

func isBlankBefore(b []byte, i int) bool {
	return i == 0 || b[i-1] == ' ' || b[i-1] == '\t' || endsInBreak(b[:i])
}
