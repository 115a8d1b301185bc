package grep

import "encoding/binary"

// grams excludes nearly all places at which no form can begin, by three bytes together; if all forms are long, at every third place.
type grams struct {
	step  int // between the places; 0 if a form has two bytes, since grams then exclude no place
	table [1 << gramBits]uint8
}

const (
	gramBits  = 14 // 16 KiB: fits the first cache together with the text
	gramBytes = 3
	maxStep   = 3
	stretch   = 6 // bytes that are looked up together; every step divides it, and their grams are within eight bytes

	// The bits that capitals lack, to make them small letters. They make other characters equal too; a later comparison decides.
	lowerBits = 0x2020202020202020
)

func newGrams(forms []form) grams {
	size := gramBytes + maxStep - 1
	for _, f := range forms {
		if len(f.key) > 1 {
			size = min(size, len(f.key))
		}
	}
	g := grams{step: size - gramBytes + 1}
	for _, f := range forms {
		for at := 0; at < g.step && len(f.key) > 1; at++ {
			var b [8]byte
			copy(b[:], f.key[at:at+gramBytes])
			g.table[hashGram(binary.LittleEndian.Uint64(b[:])|lowerBits)] |= 1 << at
		}
	}
	return g
}

// hashGram expects x to have lowerBits set.
func hashGram(x uint64) uint32 {
	return (uint32(x) & (1<<(8*gramBytes) - 1)) * 0x9E3779B1 >> (32 - gramBits)
}

// each calls look for every place at which a form may begin, in order, and returns the end of the bytes that it checked.
func (g *grams) each(src []byte, look func(at int)) (rest int) {
	if g.step < 1 {
		return 0
	}
	i := 0
	for ; i+8 <= len(src); i += stretch {
		x := binary.LittleEndian.Uint64(src[i:]) | lowerBits
		any := g.table[hashGram(x)]
		switch g.step {
		case 1:
			any |= g.table[hashGram(x>>8)] | g.table[hashGram(x>>16)] | g.table[hashGram(x>>24)] |
				g.table[hashGram(x>>32)] | g.table[hashGram(x>>40)]
		case 2:
			any |= g.table[hashGram(x>>16)] | g.table[hashGram(x>>32)]
		case 3:
			any |= g.table[hashGram(x>>24)]
		}
		if any == 0 {
			continue
		}
		for k := 0; k < stretch; k += g.step {
			which := g.table[hashGram(x>>(8*k))]
			for at := g.step - 1; at >= 0; at-- {
				if which&(1<<at) != 0 && i+k >= at {
					look(i + k - at)
				}
			}
		}
	}
	return max(0, i-g.step+1) // the grams of a form that begins there may be after i
}
