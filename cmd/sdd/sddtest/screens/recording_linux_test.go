package screens

import (
	"fmt"
	"html"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"
)

func session() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true, Setctty: true} }

// cell is a character on a screen, and the parameters of its style.
type cell struct {
	r     rune
	style string
}

// drawn are the SVG elements of the screen after a program's output. It knows the sequences that the view writes.
func drawn(output string, width, height int) string {
	screen := make([][]cell, height)
	erase := func(y int) { screen[y] = make([]cell, width) }
	for y := range screen {
		erase(y)
	}
	x, y, style := 0, 0, ""
	for output != "" {
		if rest, ok := strings.CutPrefix(output, "\x1b["); ok {
			end := strings.IndexFunc(rest, func(r rune) bool { return r >= 0x40 && r <= 0x7e })
			if end < 0 {
				break
			}
			parameters := rest[:end]
			switch rest[end] {
			case 'H':
				row, column, _ := strings.Cut(parameters, ";")
				y, _ = strconv.Atoi(row)
				x, _ = strconv.Atoi(column)
				x, y = max(x, 1)-1, min(max(y, 1), height)-1
			case 'J':
				for y := range screen {
					erase(y)
				}
			case 'K':
				erase(y)
			case 'm':
				style = strings.TrimPrefix(parameters, "0")
			}
			output = rest[end+1:]
			continue
		}
		r, n := utf8.DecodeRuneInString(output)
		output = output[n:]
		if r >= ' ' && x < width {
			screen[y][x] = cell{r, style}
			x++
		}
	}
	var b strings.Builder
	for y, row := range screen {
		for x := 0; x < width; {
			end := x
			for end < width && row[end].style == row[x].style {
				end++
			}
			text := ""
			for _, c := range row[x:end] {
				text += string(max(c.r, ' '))
			}
			if strings.TrimSpace(text) != "" {
				lead := len(text) - len(strings.TrimLeft(text, " "))
				class := "s" + strings.ReplaceAll(row[x].style, ";", "-")
				if class == "s7" { // reversed
					fmt.Fprintf(&b, `<rect class="sel" x="%d" y="%d" width="%d" height="%d"/>`, x*cellWidth+margin, y*lineHeight+margin, (end-x)*cellWidth, lineHeight)
				}
				words := []rune(strings.Trim(text, " "))
				fmt.Fprintf(&b, `<text class="%s" x="%d" y="%d" textLength="%d">%s</text>`+"\n", class, (x+lead)*cellWidth+margin, y*lineHeight+margin+15,
					len(words)*cellWidth, html.EscapeString(string(words)))
			}
			x = end
		}
	}
	return b.String()
}

const (
	cellWidth, lineHeight, margin = 8, 19, 10

	frameSeconds = 4
)

// recording is an SVG that shows the frames one after the other, or the first when the reader wants no motion.
func recording(frames []string, width, height int) string {
	var b strings.Builder
	w, h := width*cellWidth+2*margin, height*lineHeight+2*margin
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img" aria-label="sdd in a terminal">
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;white-space:pre;fill:#d8dee9}
.s1{font-weight:bold;fill:#fff}.s2{fill:#8b95a7}.s1-36{font-weight:bold;fill:#5ad1e6}.s32{fill:#7bd88f}.s31{fill:#ff7b7b}.s33{fill:#f5c86b}.s7{fill:#10151d}.sel{fill:#d8dee9}
g{visibility:hidden;animation:show %ds step-end infinite}
@keyframes show{0%%{visibility:visible}%.3f%%{visibility:hidden}}
@media (prefers-reduced-motion:reduce){g{animation:none}g:first-of-type{visibility:visible}}
</style>
<rect width="%d" height="%d" rx="8" fill="#10151d"/>
`, w, h, frameSeconds*len(frames), 100/float64(len(frames)), w, h)
	for n, f := range frames {
		fmt.Fprintf(&b, "<g style=\"animation-delay:%ds\">\n%s</g>\n", n*frameSeconds, f)
	}
	return b.String() + "</svg>\n"
}
