package index

import (
	"bytes"
	"context"
	"iter"
	"slices"
	"strconv"
	"strings"

	"sdd/internal/analysis"
	"sdd/internal/fault"
	"sdd/internal/pattern"
	"sdd/internal/record"
)

// The ranking for a briefing answers a question with the passages that an engineer who knows the project would name:
// those with the question's words, by BM25, in any of the languages and with typing mistakes; those next to them in the
// same record, list or session. Each passage also gets a share of the score of its group's best and of the records that
// its record names.
//
// The inverted index finds the records. The ranking then weighs their text, and that of the project's documents, by
// passage.

// RankQuery is a question and the texts to search. Empty fields do not restrict the answer.
type RankQuery struct {
	Text      string
	Types     []record.Type
	Project   string // filters are compared without case
	Scope     string
	Limit     int        // items, 1 to 400
	Pages     int        // of them passages of documents, at least 6
	Documents []Document // searched beside the records
	Standing  Standing
}

// Document is a project text that is not a record.
type Document struct {
	Path   string // as the answer shows it
	Title  string
	Source []byte
	Status string // of a decision record of the project's own, or OutdatedPage

	Changes bool // a list of changes
}

// OutdatedPage is the status of a page that calls itself outdated.
const OutdatedPage = "outdated"

// Ranked is the answer to a RankQuery, best first. It is empty when no text has a telling word of the question.
type Ranked struct {
	Items   []RankedItem
	Weak    bool     // no text answers well: Items are the few nearest passages
	Unknown []string // words of the question that no record and no document has
	Known   []string // the telling words that some text has
	Fillers bool     // no word of the question is telling, so its fillers are

	Reworded []string // of Known those for which the texts have only other words
}

// RankedItem is a passage of the answer.
type RankedItem struct {
	Entry   // of a document only Path, Title and Status
	Score   float64
	Section string // heading of level 2 above it, "" before the first
	Heading string // nearest deeper heading, "" without one
	Line    int    // its first
	Text    string // the lines as written
	Item    bool   // an item of a list
	Of      int    // number of passages of the text
	Source  []byte // the file as it was ranked; read-only

	outline []heading
}

// All returns the passages of i's text, in order, without scores.
func (i *RankedItem) All() []RankedItem {
	list := passagesOf(i.Source, i.outline)
	out := make([]RankedItem, len(list))
	for n, p := range list {
		out[n] = RankedItem{Entry: i.Entry, Section: p.section, Heading: p.heading, Line: p.line, Item: p.item, Of: len(list), Source: i.Source,
			Text: p.text(i.Source)}
	}
	return out
}

const (
	maxRanked   = 400
	rankPool    = 160     // records read, those with the best scores
	rankBytes   = 2 << 20 // bytes of text read, of long records
	readInAny   = 16      // records read at any length
	maxNodes    = 448     // records read at most
	lookers     = 4       // goroutines that read
	nearMost    = 80      // passages in an answer that is weak
	knownLeast  = 36      // the share of a question that some record must have, in percent
	mostOfPage  = 2       // passages of a document that count in full
	pageCover   = 30      // how much of the question's words a passage of a document has, in percent of the best passage
	shortCover  = 50      // the same of a question with few telling words
	shortAsked  = 3       // the number of telling words up to which a question is short
	pageLeast   = 33      // of the best score from own words, in percent
	pageBeside  = 80      // the share of its score that counts where a record answers, in percent
	pageBehind  = 25      // the same where a record has nearly as much of the question's words
	recordNear  = 50      // what is nearly, in percent
	mostOfPages = 6       // passages of documents, where the query allows no more
	mostDecided = 16      // the same with those of decision records
	lastShare   = 3       // of the best score; a record's last passage needs this share, in percent
)

// Rank returns the passages that answer q. Like Query it reads changed files again; call Refresh before to see every change.
func (ix *Index) Rank(ctx context.Context, q RankQuery) (Ranked, error) {
	if q.Limit < 1 || q.Limit > maxRanked {
		return Ranked{}, fault.New(fault.Invalid, "limit is %d, allowed are 1 to %d", q.Limit, maxRanked).For("limit")
	}
	if err := ix.ready(ctx); err != nil {
		return Ranked{}, err
	}
	return fresh(ctx, ix, func() (Ranked, []string, error) {
		r := &ranking{ix: ix, q: &q, at: map[int]int{}}
		out, err := r.run(ctx)
		return out, r.stale, err
	})
}

// ranking is one call of Rank.
type ranking struct {
	ix    *Index
	q     *RankQuery
	in    *inquiry
	n     int     // records in all
	nodes []*node // records and documents
	at    map[int]int
	teams []*team
	edges []edge
	stale []string // paths of changed files

	recorded bool // a record answers, not only a document
	released bool // a passage is below a version that the question asks for
	absent   bool // the question asks for a version and nothing else, and none is below it
}

// node is a record or document that may answer.
type node struct {
	Entry
	sortKey
	outline  []heading
	lang     analysis.Language
	rank     uint8 // how exactly the question names it
	wanted   bool  // passes the filters
	document bool
	found    bool   // a fact that was found in a commit
	changes  bool   // a list of changes
	standing uint64 // the share of its score that its status leaves, in percent
	src      []byte
	head     []hit // the hits of its title and front matter
	units    []unit
	cover    uint64
	worth    uint64 // of all its passages together, each word once
	most     [maxConcepts]uint64
}

// told reports whether somebody wrote the record, so that it precedes documents.
func (n *node) told() bool { return !n.document && !n.found }

func (r *ranking) run(ctx context.Context) (Ranked, error) {
	if err := r.choose(ctx); err != nil {
		return Ranked{}, err
	}
	r.read()
	if r.respell() {
		r.read()
	}
	if err := ctx.Err(); err != nil || len(r.stale) > 0 {
		return Ranked{}, err
	}
	known, near := r.weigh()
	out := Ranked{Unknown: r.in.telling(true), Known: r.in.telling(false), Fillers: r.in.fillers}
	for _, a := range r.in.words {
		if a.reworded {
			out.Reworded = append(out.Reworded, a.text)
		}
	}
	out.Unknown = slices.DeleteFunc(out.Unknown, func(w string) bool { return putIn(r.q.Text, w) })
	r.released = r.releases()
	if of := Releases(r.q.Text); !r.released && len(of) > 0 {
		other := func(w string) bool { // than the version, about which the question is
			bare := strings.TrimPrefix(w, "v")
			return !ofRelease().MatchString(w) && !slices.ContainsFunc(of, func(v string) bool { return strings.Contains(v, bare) })
		}
		recorded := func(n *node) bool {
			return !n.document && slices.ContainsFunc(of, func(v string) bool { return bytes.Contains(n.src, []byte(v)) })
		}
		r.absent = !slices.ContainsFunc(slices.Concat(out.Known, out.Unknown), other) && !slices.ContainsFunc(r.nodes, recorded)
		if r.absent {
			out.Unknown = of
		}
	}
	if known || near || r.released {
		if r.released {
			out.Unknown = slices.DeleteFunc(out.Unknown, ofRelease().MatchString)
		}
		out.Weak = r.absent || !known && (!r.released || len(out.Unknown) > 0)
		out.Items = r.items(out.Weak)
	}
	return out, ctx.Err()
}

// choose parses the question and picks the records to read: the best by their words, the records tied to them, and their neighbours.
func (r *ranking) choose(ctx context.Context) error {
	ix := r.ix
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	s := newSearch(ctx, ix.contents)
	s.begin()
	defer s.end()
	r.n = s.n
	r.in = s.inquire(r.q.Text)
	if err := s.find(r.in); err != nil {
		return err
	}
	ranks := r.named(s)
	wanted := ix.contents.newFilter(&Query{Types: r.q.Types, Project: r.q.Project, Scope: r.q.Scope, Standing: r.q.Standing})
	best := top{n: rankPool}
	err := s.eachSlot(false, ranks, func(slot int, l *live, doc int) {
		x := candidate{sortKey{rank: ranks[slot], score: s.scores[slot], created: l.seg.created(doc)}, slot}
		if !l.bare && !best.tooLate(&x.sortKey) && !l.dead.has(doc) && wanted.wants(l, doc) {
			x.id, x.path = l.seg.id(doc), l.seg.path(doc)
			best.offer(x)
		}
	})
	if err != nil {
		return err
	}
	t := tying{ranking: r, s: s, wanted: wanted}
	size := int64(0)
	for i, x := range best.list {
		l, doc := s.at(x.slot)
		if size += int64(l.seg.u32(doc, atSize)); size > rankBytes && i >= readInAny {
			break
		}
		r.nodes[t.node(x.slot)].rank = ranks[x.slot]
	}
	t.tieAll()
	for _, d := range r.q.Documents {
		r.nodes = append(r.nodes, &node{Entry: Entry{Path: d.Path, Title: d.Title, Status: d.Status},
			sortKey: sortKey{gone: record.Gone(d.Status), created: noDate, path: []byte(d.Path)},
			src:     d.Source, document: true, changes: d.Changes, wanted: true, standing: standing(record.Decision, d.Status)})
	}
	return nil
}

// named returns the slots of the records that have the question, or a word of it, as a name.
func (r *ranking) named(s *search) map[int]uint8 {
	ranks := s.named(r.ix.contents, r.q.Text)
	if ranks == nil {
		ranks = map[int]uint8{}
	}
	for _, name := range r.in.names {
		r.ix.contents.named(name, func(l *live, doc int, by nameKind) {
			if by&(byID|byPath|byTopicKey) != 0 {
				slot := s.slot(l, doc)
				ranks[slot] = max(ranks[slot], namedRank)
			}
		})
	}
	return ranks
}

// read reads the records and finds the words of the question in them.
func (r *ranking) read() {
	words := r.in.matcher()
	stale := make([]bool, len(r.nodes))
	divide(len(r.nodes), lookers, func(numbers iter.Seq[int]) {
		look := looker{words.clone(), r.in}
		for i := range numbers {
			n := r.nodes[i]
			if !n.document {
				f, err := r.ix.st.Read(n.Path)
				if err != nil || record.Etag(f.Bytes) != n.Etag {
					stale[i] = n.Etag != ""
					continue
				}
				if n.src = f.Bytes; bytes.Contains(n.src, []byte("\n<<<<<<< ")) { // the sides of a merge conflict are put in words
					n.src, n.outline = []byte(record.InWords(string(n.src))), nil
				}
			}
			look.node(n)
		}
	})
	for i, is := range stale {
		if is {
			r.stale = append(r.stale, r.nodes[i].Path)
		}
	}
}

// respell finds the words of the documents that absent words of the question may mean, and reports whether there are any.
func (r *ranking) respell() (found bool) {
	var has uint64
	for _, n := range r.nodes {
		for k := range n.units {
			has |= n.units[k].words
		}
	}
	var absent []*asked
	for i := range r.in.words {
		w := &r.in.words[i]
		spelt := w.idle || w.gram || len(r.in.concepts[i].parts) > 0 || len([]rune(w.text)) < spellRunes || !analysis.OnlyLetters(w.text)
		if has&(1<<i) == 0 && w.absent && !spelt {
			absent = append(absent, w)
		}
	}
	if len(absent) == 0 {
		return false
	}
	counts := map[string]int{} // of the documents' words that begin like one of them
	for _, n := range r.nodes {
		if !n.document {
			continue
		}
		analysis.Tokens(n.src, func(t analysis.Token) bool {
			word := n.src[t.Start:t.End]
			if slices.ContainsFunc(absent, func(w *asked) bool { return word[0]|0x20 == w.text[0]|0x20 }) {
				counts[string(word)]++
			}
			return true
		})
	}
	for _, w := range absent {
		best, most := "", 0
		for word, count := range counts {
			if (count > most || count == most && word < best) && mistypes(w.text, analysis.Lower(word)) {
				best, most = word, count
			}
		}
		if most > 0 {
			found = true
			w.stages = append(w.stages, stage{how: bySpelling, variants: variants(analysis.Part{Text: analysis.Lower(best), Stems: true})})
		}
	}
	return found
}

// mistypes reports a letter too few or too many, or two swapped: a wrong letter often makes another word.
func mistypes(a, b string) bool {
	ra, rb := []rune(analysis.Bare(a)), []rune(analysis.Bare(b))
	return IsSlip(a, b) && (len(ra) != len(rb) || swapped(ra, rb))
}

// items returns the passages of the answer, in order.
func (r *ranking) items(weak bool) []RankedItem {
	type place struct {
		sortKey
		node, unit int
		page       bool // of a document, but not below a version of the question
	}
	var list []place
	var most, bestOwn, bestCover, recordCover uint64
	for _, n := range r.nodes {
		for k := range n.units {
			bestOwn, bestCover = max(bestOwn, n.units[k].own), max(bestCover, n.units[k].cover)
			if n.told() && n.wanted && n.standing == 100 {
				recordCover = max(recordCover, n.units[k].cover)
			}
		}
	}
	leastCover := bestCover * pageCover / 100
	if r.released || len(r.in.telling(false)) <= shortAsked {
		leastCover = bestCover * shortCover / 100
	}
	for i, n := range r.nodes {
		if !n.wanted || n.standing == 0 {
			continue
		}
		for k := range n.units {
			u := &n.units[k]
			score, page := (u.own+u.extra)*n.standing/100, n.document && u.release <= 0
			switch {
			case r.absent && u.release < 0:
				continue
			case !r.released:
			case u.release < 0:
				continue
			case u.release > 0, !n.document && 2*u.own > bestOwn:
				score += max(bestOwn, 1)
			case n.document:
				score = score * pageBehind / 100
			}
			if score == 0 && (n.rank == 0 || k > 0) {
				continue
			}
			if page { // a document without enough of its own matches is noise
				if u.cover < leastCover || u.own*100 < bestOwn*pageLeast {
					continue
				}
				switch {
				case r.recorded && u.cover*recordNear <= recordCover*100:
					score = score * pageBehind / 100
				case r.recorded:
					score = score * pageBeside / 100
				}
			}
			most = max(most, score)
			key := n.sortKey
			key.rank, key.score = n.rank, uint32(min(score, 1<<32-1))
			list = append(list, place{key, i, k, page})
		}
	}
	list = slices.DeleteFunc(list, func(p place) bool {
		return p.rank == 0 && uint64(p.score)*100 < most*lastShare
	})
	order := func(a, b place) int {
		if c := a.before(&b.sortKey); c != 0 {
			return c
		}
		return a.unit - b.unit
	}
	slices.SortFunc(list, order)
	told := map[int]int{} // better passages of each document: the next one counts less than one of another document
	for i := range list {
		if p := &list[i]; p.page {
			if told[p.node]++; told[p.node] > mostOfPage {
				p.score = uint32(uint64(p.score) * mostOfPage / uint64(told[p.node]))
			}
		}
	}
	slices.SortFunc(list, order)
	pages := 0
	list = slices.DeleteFunc(list, func(p place) bool {
		if !p.page {
			return false
		}
		pages++
		most := max(r.q.Pages, mostOfPages)
		if s := r.nodes[p.node].Status; s != "" && s != OutdatedPage {
			most = max(most, mostDecided)
		}
		return pages > most
	})
	limit := r.q.Limit
	if weak {
		limit = min(limit, nearMost)
	}
	list = list[:min(len(list), limit)]
	out := make([]RankedItem, len(list))
	for i, p := range list {
		n := r.nodes[p.node]
		u := &n.units[p.unit]
		out[i] = RankedItem{Entry: n.Entry, Score: shownScore(p.rank, p.score), Section: u.section, Heading: u.heading, Line: u.line,
			Text: u.text(n.src), Item: u.item, Of: len(n.units), Source: n.src, outline: n.outline}
	}
	return out
}

// version matches the name of a release, also one before it such as 1.0.0-beta.5.
var version = pattern.Late(`\d+(?:\.\d+)+(?:[.-]?(?i:(?:alpha|beta|rc|pre|preview|dev|next|canary|snapshot)` +
	`[.-]?\d*|[ab]\d+)(?:\.\d+)*\b)?|\b(?i:unreleased)\b`)

// ofRelease matches the words of a question about a release that its text need not have.
var ofRelease = pattern.Late(`^(latest|newest|recent|current|new|releases?|versions?|change(s|d|log))$`)

// ofOther matches the text before a version of what projects run on, not of the project.
var ofOther = pattern.Late(`(?i)\b(python|node|node\.?js|php|java|jdk|go|golang|ruby|rust|\.?net|typescript|kotlin|scala|swift|` +
	`http|tls|ssl|openssl|` +
	`macos|ios|android|ubuntu|debian|windows|linux|postgres|postgresql|mysql|redis|docker|kubernetes|react|vue|django|rails|spring)[ /-]?v?$`)

// recent finds questions about the newest release.
var recent = pattern.Late(`(?i)\b(recent|latest|newest|last|current)\b[^.?!]{0,20}\b(releases?|versions?|chang(es|elog))\b|` +
	`\bchang(es|ed)\b[^.?!]{0,20}\b(recently|lately|last)\b|\bwhat(['’]?s| is) new\b`)

// Releases returns the versions in a question, without those of what projects run on.
func Releases(question string) (names []string) {
	for _, at := range version().FindAllStringIndex(question, maxNames) {
		if !ofOther().MatchString(question[:at[0]]) {
			names = append(names, question[at[0]:at[1]])
		}
	}
	return names
}

// releases sets release of the documents' passages, and reports whether one is below a version asked for, or below the newest.
func (r *ranking) releases() (found bool) {
	asked := Releases(r.q.Text)
	newest := len(asked) == 0 && recent().MatchString(r.q.Text)
	if len(asked) == 0 && !newest {
		return false
	}
	for _, n := range r.nodes {
		if !n.document {
			continue
		}
		versions := asked
		if newest {
			if versions = n.newest(); versions == nil {
				continue
			}
		}
		among := func(name string) bool {
			return slices.ContainsFunc(versions, func(v string) bool {
				rest, is := strings.CutPrefix(strings.ToLower(name), strings.ToLower(v))
				return is && (rest == "" || len(rest) > 1 && rest[0] == '.' && rest[1] <= '9') // not 1.0.0.rc1
			})
		}
		for k := range n.units {
			u, above := &n.units[k], &n.units[max(0, k-1)]
			if u.release = above.release; k == 0 || u.section != above.section || u.heading != above.heading {
				u.release = 0
				if names := u.versions(n.Title); slices.ContainsFunc(names, among) {
					u.release = 1
				} else if len(names) > 0 {
					u.release = -1
				}
			}
			found = found || u.release > 0
		}
	}
	return found
}

func (u *unit) versions(title string) []string {
	return version().FindAllString(target().ReplaceAllString(u.section+" "+u.heading+" "+title, "]"), maxNames)
}

var target = pattern.Late(`\]\([^()]*\)`)

// newest returns the highest version of a list of changes and what is unreleased, nil for another document, such as a guide to upgrade.
func (n *node) newest() (names []string) {
	seen, high := map[string]bool{}, ""
	for k := range n.units {
		u := &n.units[k]
		all := u.versions("")
		if len(all) == 0 || seen[all[0]] || fromTo().MatchString(u.section+" "+u.heading) ||
			!n.changes && !release().MatchString(u.section) && !release().MatchString(u.heading) && !strings.EqualFold(all[0], "unreleased") {
			continue
		}
		switch name := all[0]; {
		case strings.EqualFold(name, "unreleased"):
			names = append(names, name)
		case high == "" || later(name, high):
			high = name
		}
		seen[all[0]] = true
	}
	if len(seen) < 2 || high == "" {
		return nil
	}
	return append(names, high)
}

// fromTo matches a heading from one version to another.
var fromTo = pattern.Late(`\d\S* *(?:\bto\b|→|->) *v?\d`)

// later reports whether a version is higher than another one; 1.0.0-beta.5 comes before 1.0.0.
func later(a, b string) bool {
	digit := func(r rune) bool { return '0' <= r && r <= '9' }
	numbers := func(v string) (all []int) {
		for _, part := range strings.FieldsFunc(v, func(r rune) bool { return !digit(r) }) {
			n, _ := strconv.Atoi(part)
			all = append(all, n)
		}
		if core := strings.IndexFunc(v, func(r rune) bool { return r != '.' && !digit(r) }); core > 0 {
			return slices.Insert(all, strings.Count(strings.TrimRight(v[:core], "."), ".")+1, -1)
		}
		return append(all, 0)
	}
	return slices.Compare(numbers(a), numbers(b)) > 0
}

// telling returns the telling words that no text has, or those that some text has.
func (in *inquiry) telling(absent bool) (words []string) {
	for _, a := range in.words {
		if !a.idle && !a.gram && a.absent == absent {
			words = append(words, a.text)
		}
	}
	return words
}
