package static

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// tokenizer cuts a text into tokens as tokenizer.json describes it: WordPiece after BERT's rules.
type tokenizer struct {
	vocab            map[string]int
	unk              int    // the token for what has none, which is left out
	prefix           string // of a piece inside a word
	lower            bool
	longest, maxWord int // bytes of a piece, runes of a word
}

func (t *tokenizer) parse(src []byte) error {
	var f struct {
		Model struct {
			Type     string          `json:"type"`
			Vocab    json.RawMessage `json:"vocab"`
			Unk      string          `json:"unk_token"`
			Prefix   *string         `json:"continuing_subword_prefix"`
			MaxChars int             `json:"max_input_chars_per_word"`
		} `json:"model"`
		Normalizer struct {
			Lowercase *bool `json:"lowercase"`
		} `json:"normalizer"`
	}
	if err := json.Unmarshal(src, &f); err != nil {
		return fmt.Errorf("it is no JSON of a tokenizer: %w", err)
	}
	t.unk, t.prefix, t.maxWord, t.lower = -1, "##", 100, f.Normalizer.Lowercase == nil || *f.Normalizer.Lowercase
	if f.Model.Type != "WordPiece" {
		return fmt.Errorf("its model is of type %q, only WordPiece is read here", f.Model.Type)
	}
	if err := json.Unmarshal(f.Model.Vocab, &t.vocab); err != nil {
		return fmt.Errorf("its vocabulary: %w", err)
	}
	if id, ok := t.vocab[f.Model.Unk]; ok {
		t.unk = id
	}
	if f.Model.Prefix != nil {
		t.prefix = *f.Model.Prefix
	}
	if f.Model.MaxChars > 0 {
		t.maxWord = f.Model.MaxChars
	}
	if len(t.vocab) == 0 {
		return fmt.Errorf("its vocabulary is empty")
	}
	for p := range t.vocab {
		t.longest = max(t.longest, len(p))
	}
	return nil
}

// ids returns the tokens of a text without the unknown ones.
func (t *tokenizer) ids(text string) (out []int) {
	text = strings.ToValidUTF8(text, " ")
	for _, word := range t.words(text) {
		out = append(out, t.wordPiece(word)...)
	}
	return out
}

// words splits a text at blanks and around punctuation and Chinese characters.
func (t *tokenizer) words(text string) (out []string) {
	if t.lower {
		text = norm.NFD.String(strings.ToLower(text))
	}
	var word strings.Builder
	end := func() {
		if word.Len() > 0 {
			out = append(out, word.String())
			word.Reset()
		}
	}
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			end()
		case t.lower && unicode.Is(unicode.Mn, r), unicode.IsControl(r), r == utf8.RuneError:
		case unicode.IsPunct(r), r < 0x80 && unicode.IsSymbol(r), unicode.Is(unicode.Han, r):
			end()
			out = append(out, string(r))
		default:
			word.WriteRune(r)
		}
	}
	end()
	return out
}

// wordPiece takes the longest known piece at each place; a word with an unknown part has no tokens.
func (t *tokenizer) wordPiece(word string) (out []int) {
	if utf8.RuneCountInString(word) > t.maxWord {
		return nil
	}
	for at := 0; at < len(word); {
		prefix := ""
		if at > 0 {
			prefix = t.prefix
		}
		end := min(len(word), at+t.longest)
		for ; end > at; end-- {
			if id, ok := t.vocab[prefix+word[at:end]]; ok && id != t.unk {
				out = append(out, id)
				break
			}
		}
		if end == at {
			return nil
		}
		at = end
	}
	return out
}
