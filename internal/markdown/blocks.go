package markdown

import (
	"bytes"
	"fmt"
	"sync"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"sdd/internal/fault"
)

// These limits keep parsing linear for every text. Nothing that people write comes near them.
const (
	MaxSource = 4 << 20 // bytes of a text that is read
	maxDepth  = 100     // blocks inside each other: a quote is one, a list level is two
	maxWork   = 1 << 20 // open blocks summed over all lines, beyond one for each byte
	maxLinks  = 1 << 28 // lines moved while link definitions are taken out of paragraphs
)

// grammar is CommonMark's block structure as goldmark sees it, without any inline parsing:
// that is quadratic, cannot be stopped, and no section depends on it. Link definitions stay,
// because they decide what a setext underline belongs to.
var grammar = func() parser.Parser {
	blocks := parser.DefaultBlockParsers()
	for i, b := range blocks {
		if b.Priority == 100 {
			blocks[i].Value = setext{b.Value.(parser.BlockParser)}
		}
	}
	return parser.NewParser(
		parser.WithBlockParsers(blocks...),
		parser.WithParagraphTransformers(util.Prioritized(linkDefinitions{}, 100)),
	)
}()

// setext keeps the underline: after goldmark has closed a setext heading, its lines are the text
// and, as the last one, the underline.
type setext struct{ parser.BlockParser }

func (s setext) Close(node ast.Node, r text.Reader, pc parser.Context) {
	underline := node.Lines().At(0)
	s.BlockParser.Close(node, r, pc)
	if node.Parent() != nil {
		node.Lines().Append(underline)
	}
}

// linkDefinitions is goldmark's transformer under a limit: it moves all lines of the paragraph
// once for every definition.
type linkDefinitions struct{}

func (linkDefinitions) Transform(node *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines, src := node.Lines(), r.Source()
	first := lines.At(0)
	if !bytes.HasPrefix(bytes.TrimLeft(src[first.Start:first.Stop], blank), []byte("[")) {
		return
	}
	definitions := 0
	for i := range lines.Len() {
		seg := lines.At(i)
		definitions += bytes.Count(src[seg.Start:seg.Stop], []byte("]:"))
	}
	c := pc.(*context)
	if c.links += definitions * lines.Len(); c.links > maxLinks {
		panic(beyond{first.Start, "more link definitions in one paragraph than can be read", "put blank lines between them"})
	}
	parser.LinkReferenceParagraphTransformer.Transform(node, r, pc)
}

// context is goldmark's parser state, used again, with guards in it.
type context struct {
	parser.Context
	work  int // what is left to spend
	spent int // by the last call of OpenedBlocks
	links int
}

// beyond is the panic value that leaves goldmark when a text passes a limit.
type beyond struct {
	at           int
	reason, hint string
}

// OpenedBlocks is called once a line, and before every SetOpenedBlocks. Only the lines count: for
// each line goldmark walks all open blocks.
func (c *context) OpenedBlocks() []parser.Block {
	open := c.Context.OpenedBlocks()
	c.spent = len(open)
	if c.work -= c.spent; c.work < 0 {
		panic(beyond{open[0].Node.Pos(), "too many lines inside deep quotes and lists", "use fewer levels, or fewer blank lines in them"})
	}
	return open
}

// SetOpenedBlocks is called whenever a block opens or closes.
func (c *context) SetOpenedBlocks(open []parser.Block) {
	if len(open) > maxDepth {
		panic(beyond{open[len(open)-1].Node.Pos(), fmt.Sprintf("quotes and lists are nested more than %d deep", maxDepth), "use fewer levels"})
	}
	c.work, c.spent = c.work+c.spent, 0
	c.Context.SetOpenedBlocks(open)
}

// AddReference does nothing: only inline parsing needs references.
func (c *context) AddReference(parser.Reference) {}

var contexts = sync.Pool{New: func() any { return &context{Context: parser.NewContext()} }}

func (c *context) reset() {
	for k := range parser.ContextKeyMax + 1 {
		c.Set(k, nil)
	}
	c.Context.SetOpenedBlocks(nil)
	c.spent, c.links = 0, 0
}

// blocks parses d.Src[d.From:] and hands the document node to visit. Positions of nodes count from d.From.
func (d *Doc) blocks(visit func(root ast.Node)) error {
	root, err := d.tree()
	if err != nil {
		return err
	}
	visit(root)
	return nil
}

func (d *Doc) tree() (root ast.Node, err error) {
	body := d.Src[d.From:]
	if len(body) > MaxSource {
		return nil, fault.New(fault.Broken, "the text has %d bytes, at most %d can be read", len(body), MaxSource).With("split it")
	}
	c := contexts.Get().(*context)
	c.work = maxWork + len(body)
	defer func() {
		c.reset()
		contexts.Put(c)
		if p := recover(); p != nil {
			err = d.refusal(p)
		}
	}()
	return grammar.Parse(text.NewReader(body), parser.WithContext(c)), nil
}

// refusal is the fault for a panic out of goldmark: a limit of ours or a defect of goldmark.
func (d *Doc) refusal(thrown any) error {
	b, ok := thrown.(beyond)
	if !ok {
		return fault.New(fault.Broken, "the Markdown cannot be parsed: %v", thrown).With("report the file as a bug")
	}
	line := 1 + bytes.Count(d.Src[:min(len(d.Src), d.From+max(0, b.at))], []byte("\n"))
	return fault.New(fault.Broken, "%s", b.reason).At("", line).With(b.hint)
}
