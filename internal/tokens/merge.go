package tokens

import "container/heap"

// Within a piece, merger joins the two neighbours whose union has the lowest rank, the leftmost of
// equals first, until no union is a token. It searches for that pair in short pieces, and keeps a heap for long
// ones, so that a megabyte of one letter takes well under a second.

// scanLimit is the length in bytes up to which the search is faster than the heap.
const scanLimit = 96

// merger merges pieces. It reuses its memory for the next piece; the zero value is ready for use.
type merger struct {
	recent     [256]counted // an answer has its words again in its JSON
	ends       []int
	nodes      []node
	candidates queue
}

// counted is a short piece and its number of tokens.
type counted struct {
	piece  string
	tokens int
}

func (m *merger) count(piece string) int {
	if len(piece) == 1 || rank(piece) != noRank {
		return 1
	}
	if len(piece) > scanLimit {
		return m.link(piece)
	}
	last := &m.recent[bucket(piece)%uint32(len(m.recent))]
	if last.piece != piece {
		var parts [scanLimit + 1]part
		*last = counted{piece, scan(piece, &parts)}
	}
	return last.tokens
}

// split returns the offsets in a piece at which its tokens end. They are valid until the next call.
func (m *merger) split(piece string) []int {
	m.ends = m.ends[:0]
	switch {
	case rank(piece) != noRank:
		m.ends = append(m.ends, len(piece))
	case len(piece) <= scanLimit:
		var parts [scanLimit + 1]part
		n := scan(piece, &parts)
		for _, p := range parts[1 : n+1] {
			m.ends = append(m.ends, int(p.start))
		}
	default:
		m.link(piece)
		for i := m.nodes[0].next; i >= 0; i = m.nodes[i].next {
			m.ends = append(m.ends, int(i))
		}
	}
	return m.ends
}

// part is a token or a piece of one: its start, and the rank of its union with the next part.
type part struct{ start, rank uint32 }

// scan merges a short piece in parts and returns its number of tokens, n. parts[:n+1] are their starts and the end.
func scan(piece string, parts *[scanLimit + 1]part) int {
	n := len(piece)
	union := func(i, k int) uint32 { // of the parts from i to before k
		if k > n {
			return noRank
		}
		return rank(piece[parts[i].start:parts[k].start])
	}
	for i := range n + 1 {
		parts[i].start = uint32(i)
	}
	for i := range n + 1 {
		parts[i].rank = union(i, i+2)
	}
	for {
		lowest, at := uint32(noRank), 0
		for i, p := range parts[:n] {
			if p.rank < lowest {
				lowest, at = p.rank, i
			}
		}
		if lowest == noRank {
			return n
		}
		copy(parts[at+1:n], parts[at+2:n+1])
		n--
		parts[at].rank = union(at, at+2)
		if at > 0 {
			parts[at-1].rank = union(at-1, at+1)
		}
	}
}

// node is the start of a part in a doubly linked list. A node that was merged into another has
// rank noRank; the node after the last part has next -1.
type node struct {
	prev, next int32
	rank       uint32
}

// link merges a piece of any length in m.nodes and returns its number of tokens.
func (m *merger) link(piece string) int {
	size := int32(len(piece))
	if cap(m.nodes) <= len(piece) {
		m.nodes = make([]node, len(piece)+1)
	}
	nodes := m.nodes[:len(piece)+1]
	m.nodes = nodes
	if cap(m.candidates) < len(piece) {
		m.candidates = make(queue, 0, len(piece)+len(piece)/4)
	}
	h := m.candidates[:0]
	for i := range size + 1 {
		nodes[i] = node{prev: i - 1, next: i + 1, rank: noRank}
		if i+2 <= size {
			if r := rank(piece[i : i+2]); r != noRank {
				nodes[i].rank = r
				h = append(h, candidate(r)<<32|candidate(i))
			}
		}
	}
	nodes[size].next = -1
	heap.Init(&h)
	left := len(piece)
	for len(h) > 0 {
		top := h[0]
		at := int32(uint32(top))
		if nodes[at].rank != uint32(top>>32) {
			heap.Pop(&h)
			continue
		}
		gone := nodes[at].next
		after := nodes[gone].next // never -1: the union had a rank
		nodes[gone].rank = noRank
		nodes[at].next = after
		nodes[after].prev = at
		left--

		nodes[at].rank = noRank
		if end := nodes[after].next; end >= 0 {
			nodes[at].rank = rank(piece[at:end])
		}
		if r := nodes[at].rank; r != noRank {
			h[0] = candidate(r)<<32 | candidate(at)
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
		if before := nodes[at].prev; before >= 0 {
			r := rank(piece[before:after])
			nodes[before].rank = r
			if r != noRank {
				heap.Push(&h, candidate(r)<<32|candidate(before))
			}
		}
	}
	m.candidates = h
	return left
}

// candidate is a pair to merge. Its upper half is the rank, its lower half the start, so that candidates sort in the order of merging.
type candidate uint64

type queue []candidate

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i] < q[j] }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(candidate)) }

func (q *queue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
