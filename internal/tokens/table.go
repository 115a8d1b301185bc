package tokens

import _ "embed"

//go:generate go run gentable.go

// table contains the vocabulary as gentable.go writes it, in little-endian numbers of 32 bits and entries:
//
//   - the rank of every pair of bytes, or noRank;
//   - a directory of buckets+1 offsets into the table;
//   - the entries of all buckets one after the other: a token's length in one byte, its rank in three, its
//     bytes.
//
//go:embed o200k.bin
var table string

const (
	pairs    = 1 << 16
	buckets  = 1 << 18 // most have one token or none, since most lookups find none
	maxToken = 128     // bytes of the longest token
	noRank   = 1<<32 - 1
)

// rank returns the place of piece in the order of merging, or noRank when it is no token.
func rank(piece string) uint32 {
	if len(piece) == 2 {
		return word(4 * (uint32(piece[0]) | uint32(piece[1])<<8))
	}
	if len(piece) > maxToken {
		return noRank
	}
	slot := 4 * (pairs + bucket(piece))
	for entries := table[word(slot):word(slot+4)]; len(entries) > 4; {
		end := 4 + int(entries[0])
		if end == 4+len(piece) && entries[4:end] == piece {
			return uint32(entries[1]) | uint32(entries[2])<<8 | uint32(entries[3])<<16
		}
		entries = entries[end:]
	}
	return noRank
}

func word(at uint32) uint32 {
	b := table[at : at+4]
	return uint32(b[0]) | uint32(b[1])<<8 | uint32(b[2])<<16 | uint32(b[3])<<24
}

// bucket returns the bucket of piece: FNV-1a, folded. gentable.go has the same function.
func bucket(piece string) uint32 {
	h := uint32(2166136261)
	for i := 0; i < len(piece); i++ {
		h = (h ^ uint32(piece[i])) * 16777619
	}
	return (h ^ h>>16) % buckets
}
