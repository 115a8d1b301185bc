package match

import "math/bits"

// aligned compares one text with many by their longest common subsequence, 64 characters of it
// at a time (Hyyrö's bit-parallel form).
type aligned struct {
	length int // characters
	words  int
	ascii  [128][]uint64 // the places of a character, nil for none
	other  map[rune][]uint64
	state  []uint64
}

func newAligned(s string) *aligned {
	rs := []rune(s)
	p := &aligned{length: len(rs), words: (len(rs) + 63) / 64}
	p.state = make([]uint64, p.words)
	for i, r := range rs {
		m := p.mask(r)
		if m == nil {
			m = make([]uint64, p.words)
			if r < 128 {
				p.ascii[r] = m
			} else {
				if p.other == nil {
					p.other = map[rune][]uint64{}
				}
				p.other[r] = m
			}
		}
		m[i/64] |= 1 << (i % 64)
	}
	return p
}

func (p *aligned) mask(r rune) []uint64 {
	if r >= 0 && r < 128 {
		return p.ascii[r]
	}
	return p.other[r]
}

// ratio returns 2·LCS/(sum of lengths) of the text and s, which has n characters, or 0 if it cannot
// reach least. Two empty texts are equal.
func (p *aligned) ratio(s string, n int, least float64) float64 {
	sum := float64(p.length + n)
	if sum == 0 {
		return 1
	}
	if 2*float64(min(p.length, n)) < least*sum {
		return 0
	}
	return 2 * float64(p.common(s)) / sum
}

// common returns the length of the longest common subsequence of the text and s.
func (p *aligned) common(s string) int {
	if p.words == 1 {
		v := ^uint64(0)
		for _, r := range s {
			if m := p.mask(r); m != nil {
				u := v & m[0]
				v = (v + u) | (v - u)
			}
		}
		if p.length < 64 {
			v |= ^uint64(0) << p.length
		}
		return bits.OnesCount64(^v)
	}
	for i := range p.state {
		p.state[i] = ^uint64(0)
	}
	for _, r := range s {
		m := p.mask(r)
		if m == nil {
			continue
		}
		carry, borrow := uint64(0), uint64(0)
		for i, v := range p.state {
			u := v & m[i]
			var sum, diff uint64
			sum, carry = bits.Add64(v, u, carry)
			diff, borrow = bits.Sub64(v, u, borrow)
			p.state[i] = sum | diff
		}
	}
	n := 0
	for i, v := range p.state {
		if i == p.words-1 && p.length%64 != 0 {
			v |= ^uint64(0) << (p.length % 64)
		}
		n += bits.OnesCount64(^v)
	}
	return n
}
