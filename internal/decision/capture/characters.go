package capture

import (
	"strings"
	"unicode/utf8"
)

// Chinese and Japanese have no blanks between words: their rules look for pieces of the sentence.
type characterGrammar struct {
	rules, blocks, places       []string
	reasonBefore, reasonAfter   []string // marks around which the reason stands
	optionBefore, optionAfter   []string
	consequenceAfter, breaksOff []string
}

var characterGrammars = map[string]characterGrammar{
	"zh": {
		rules:            strings.Fields(`决定使用 决定采用 决定用 决定不 决定将 决定把 我们决定 决定了 最终选择 选择了 我们选择 选用了 选定 最终采用 我们采用 所以采用 因此采用 决定放弃 放弃了 改用 改为使用 改成 今后 从现在起 从今以后 以后统一 统一使用 一致同意 达成一致 商定 敲定 不再支持 不再使用 将使用 将采用 我们将 就用 确定使用 确定采用 确定了 已决定 弃用 迁移到 切换到 决議 最后选 选了 统一走 统一用 统一采用 因此我们 所以我们 将存储 将由 将改 改由 就选 编写新 用Rust 定为 我们用 我们选 决定由 决定以 采用了`),
		blocks:           strings.Fields(`可以使用 可以用 可能 也许 或许 如果 假如 要是 例如 比如 建议 请 您 你可以 需要决定 有待 考虑 自动选择 总是选择 会选择 解析器 编译器选择 用户选择 他们 该公司 亚马逊 谷歌 在本教程 本教程 本文 以前 曾经 过去 回滚 撤销 帮你 为你 测试一下 先看 先读 餐厅 旅行 晚饭 孩子`),
		places:           strings.Fields(`还没 尚未 没有决定 未决定 没决定 待定 不确定 要不要 是否 吗`),
		reasonAfter:      strings.Fields(`因为 由于 以便 避免 为了 以避免 理由是 原因是`),
		optionAfter:      strings.Fields(`而不是 而非 代替 取代 不用`),
		consequenceAfter: strings.Fields(`这意味着 因此需要 所以需要 这样一来 于是需要`),
		breaksOff:        []string{"，", "。", "；", ",", "！"},
	},
	"ja": {
		rules:            strings.Fields(`ことにした ことにしました ことにします こととする こととした ことに決め ことに決定 ことになりました ことになった に決めた に決めました に決定し を採用しました を採用した を採用する。 を採用します を選びました を選んだ を選択しました を選択した に切り替えます に切り替えました に移行します に移行しました を使うことに を使います。 を採用します そのため、 に統一 で合意 に合意 今後は を廃止し をやめ に決まりました に決まった で行きます でいきます のサポートを終了 は使いません を使わない方針 方針とする に置き換え`),
		blocks:           strings.Fields(`もし かもしれ かも知れ できます でしょうか ですか ますか と思います 例えば たとえば してください 自動的 常に ユーザーが パーサー コンパイラ 彼ら 同社 以前は かつて 元に戻し 候補 検討 お勧め おすすめ 推奨 場合は れば このチュートリアル するには 際は 時は 方法 レストラン 旅行 夕食 子供`),
		places:           strings.Fields(`まだ 未定 決めていない 決めていません 決まっていない 決まっていません 結論は出て 検討中 どうか`),
		reasonBefore:     strings.Fields(`ため、 ので、 から、 ため ので`),
		optionBefore:     strings.Fields(`ではなく の代わりに よりも`),
		consequenceAfter: strings.Fields(`その結果 これにより したがって`),
		breaksOff:        []string{"、", "。", "，"},
	},
}

// judgeCharacters reads a sentence of Chinese or Japanese.
func judgeCharacters(text, lang string, p place) verdict {
	g := characterGrammars[lang]
	v := verdict{lang: lang, neutral: true}
	if isQuestion(text) || containsAny(text, g.places) >= 0 || containsAny(text, []string{"“", "「"}) >= 0 && utf8.RuneCountInString(text) > 30 {
		return v
	}
	at := -1
	if containsAny(text, g.blocks) < 0 {
		if at = containsAny(text, g.rules); at >= 0 {
			v.confidence, v.rule = 0.86, lang+": decided"
		}
	}
	if p.presumed && p.role == decisionRole && v.confidence < 0.88 {
		v.confidence, v.rule = 0.88, "under a heading or label of decisions"
	}
	if v.confidence < least {
		return v
	}
	v.statement = strings.TrimRight(text, "。.！!")
	for _, w := range g.reasonAfter {
		if i := strings.Index(text, w); i >= 0 {
			v.parts[reasonPart] = append(v.parts[reasonPart], clip(text[i+len(w):], g.breaksOff))
			if head := strings.TrimRight(text[:i], "，、, "); head != "" && i > at {
				v.statement = head
			}
			break
		}
	}
	for _, w := range g.reasonBefore {
		if i := strings.Index(text, w); i > 0 {
			v.parts[reasonPart] = append(v.parts[reasonPart], text[:i])
			v.statement = strings.TrimRight(strings.TrimLeft(text[i+len(w):], "、, "), "。.")
			break
		}
	}
	for _, w := range g.optionAfter {
		if i := strings.Index(text, w); i >= 0 {
			v.parts[alternativePart] = append(v.parts[alternativePart], clip(text[i+len(w):], g.breaksOff))
			break
		}
	}
	for _, w := range g.optionBefore {
		if i := strings.Index(text, w); i > 0 {
			from := 0
			for _, b := range g.breaksOff {
				if j := strings.LastIndex(text[:i], b); j >= 0 {
					from = max(from, j+len(b))
				}
			}
			v.parts[alternativePart] = append(v.parts[alternativePart], strings.TrimSpace(text[from:i]))
			break
		}
	}
	for _, w := range g.consequenceAfter {
		if i := strings.Index(text, w); i >= 0 {
			v.parts[consequencePart] = append(v.parts[consequencePart], strings.Trim(text[i+len(w):], "，、。 "))
			break
		}
	}
	return v
}

func containsAny(s string, pieces []string) int {
	for _, p := range pieces {
		if i := strings.Index(s, p); i >= 0 {
			return i
		}
	}
	return -1
}

// clip is s up to the first of the marks.
func clip(s string, marks []string) string {
	end := len(s)
	for _, m := range marks {
		if i := strings.Index(s, m); i >= 0 {
			end = min(end, i)
		}
	}
	return strings.TrimSpace(s[:end])
}
