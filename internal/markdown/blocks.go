package markdown

import (
	"bytes"
	"fmt"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"

	"sdd/internal/fault"
)

// These limits keep parsing linear for every text. Ordinary text stays far below them.
const (
	MaxSource = 4 << 20 // bytes of a text
	maxDepth  = 100     // nested blocks: a quote is one, a list level is two
	maxWork   = 1 << 20 // open blocks summed over all lines, beyond one for each byte
	maxLinks  = 1 << 28 // lines that goldmark moves while it takes link definitions out of paragraphs
)

// grammar parses CommonMark's blocks, nothing inline (quadratic, and without effect on sections), but link definitions: they decide which
// text a setext underline belongs to.
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

// setext adds the underline, which goldmark drops, as the last of a setext heading's lines.
type setext struct{ parser.BlockParser }

func (s setext) Close(node ast.Node, r text.Reader, pc parser.Context) {
	underline := node.Lines().At(0)
	s.BlockParser.Close(node, r, pc)
	if node.Parent() != nil {
		node.Lines().Append(underline)
	}
}

// linkDefinitions limits goldmark's transformer, which moves all lines of a paragraph once for every link definition in it.
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

// context is goldmark's parser state with limits.
type context struct {
	parser.Context
	work  int // remaining block visits
	spent int // visits that the last call of OpenedBlocks counted
	links int
	root  ast.Node // the document, once it has a block
}

// parsed is the panic value that ends a parse after the blocks: the texts in them would cost as much again.
type parsed struct{}

// LastDelimiter ends the parse. goldmark calls it first for the texts in the blocks.
func (c *context) LastDelimiter() *parser.Delimiter { panic(parsed{}) }

// beyond is the panic value that stops goldmark when a text exceeds a limit.
type beyond struct {
	at           int
	reason, hint string
}

// OpenedBlocks counts the open blocks as work: once a line, when goldmark walks them; SetOpenedBlocks takes the other counts back.
func (c *context) OpenedBlocks() []parser.Block {
	open := c.Context.OpenedBlocks()
	c.spent = len(open)
	if c.work -= c.spent; c.work < 0 {
		panic(beyond{open[0].Node.Pos(), "too many lines inside deep quotes and lists", "use fewer levels, or fewer blank lines in them"})
	}
	return open
}

// SetOpenedBlocks limits the nesting. goldmark calls it whenever a block opens or closes.
func (c *context) SetOpenedBlocks(open []parser.Block) {
	if len(open) > maxDepth {
		panic(beyond{open[len(open)-1].Node.Pos(), fmt.Sprintf("quotes and lists are nested more than %d deep", maxDepth), "use fewer levels"})
	}
	if c.root == nil && len(open) > 0 {
		c.root = open[0].Node.Parent()
	}
	c.work, c.spent = c.work+c.spent, 0
	c.Context.SetOpenedBlocks(open)
}

// AddReference does nothing, because only inline parsing needs references.
func (c *context) AddReference(parser.Reference) {}

// blocks parses d.Src[d.From:] and returns the document node. Positions of nodes count from d.From.
func (d *Doc) blocks() (root ast.Node, err error) {
	body := d.Src[d.From:]
	if len(body) > MaxSource {
		return nil, fault.New(fault.Broken, "the text has %d bytes, at most %d can be read", len(body), MaxSource).With("split it")
	}
	c := &context{Context: parser.NewContext(), work: maxWork + len(body)}
	defer func() {
		switch p := recover().(type) {
		case nil:
		case parsed:
			if root = c.root; root == nil {
				root = ast.NewDocument()
			}
		default:
			err = d.refusal(p)
		}
	}()
	return grammar.Parse(text.NewReader(body), parser.WithContext(c)), nil
}

// refusal converts a panic during parsing to a fault. The cause is one of the limits or a defect of goldmark.
func (d *Doc) refusal(thrown any) error {
	b, ok := thrown.(beyond)
	if !ok {
		return fault.New(fault.Broken, "the Markdown cannot be parsed: %v", thrown).With("report the file as a bug")
	}
	line := 1 + bytes.Count(d.Src[:min(len(d.Src), d.From+max(0, b.at))], []byte("\n"))
	return fault.New(fault.Broken, "%s", b.reason).At("", line).With(b.hint)
}
