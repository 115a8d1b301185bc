// Package classify reads the sentence or two of a learning: how much it matters, what it is about,
// which files it names, how near it is to another one, and whether it contradicts one.
//
// All of it is deterministic and pure, and the reason that decided is returned in words. English is read best. Of
// other languages a few plain words count; the rest falls back to the default that the function names.
//
// Every function takes any text, is linear in its length, and may be called from several
// goroutines at once. Tables are made on first use.
//
// # How a text is labelled
//
// Impact is what happens to somebody who does not know it:
//
//   - critical: work stops, or harm is done. The build, the start, a login or a release is blocked; data, secrets, money
//     or customers are lost; the site is down; something expires and then nothing goes. A hole that lets others in.
//   - high: it shapes the whole. What every module, service or team has to keep to: boundaries, ownership, the one way
//     through the system, contracts and their compatibility, decisions on structure.
//   - medium: it shapes a piece of code. How one thing is called, written, tested or configured; an error with its fix;
//     a wrong result in one place; a rule for names that the team keeps to.
//   - low: nice to know. Taste, comfort, history, trivia, what nobody minds; nothing is worse without it. So are questions.
//
// Of two that fit, the graver one counts. A rule that is said softly (prefer, consider, may) is low; a harm that is
// ruled out ("does not lose data") is none.
//
// Category is what it is about, the first of these that fits:
//
//   - Testing: how things are tested: tests, their names, tools, data and doubles.
//   - Errors: something goes wrong: a symptom, its cause, its fix; harm that a mistake does.
//   - Performance: time, memory or load, and how to save them.
//   - API: what goes over an interface: endpoints, formats, authentication, limits.
//   - Dependencies: a library, tool or version by name: which one, and its quirks.
//   - Architecture: where things are, which parts there are, who owns what, how parts relate.
//   - Conventions: how things are named, formatted and written here.
//   - General: everything else: people, process, the business.
//
// Words alone decide nothing: a library that is named in a symptom leaves it a symptom, and a version that breaks a
// build is about the version.
//
// # How it is decided
//
// A text shows signs: the rules that match it (patterns of words, rules.go), what its words are about (vocabulary.go), and
// single words. Each speaks for each label as much as a table of weights says (weights/, evidence.go). The weights are fitted to
// labelled texts (testdata, fit_test.go) of which a third, chosen by a hash of the text, is held aside. A label that a
// person gives always wins over all of this.
package classify
