package secrets

// Samples returns the rule, the secret and the text of each secret of the corpus.
func Samples() (out [][3]string) {
	for _, s := range positives() {
		out = append(out, [3]string{s.rule, s.secret, s.text})
	}
	return out
}
