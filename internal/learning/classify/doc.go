// Package classify reads the one or two sentences of a learning: its impact, its category, its
// similarity to another one, and whether it contradicts one.
//
// All functions are deterministic and pure, and every answer comes with the rule and the words that decided. They know
// English best; in other languages they know a few common words, and otherwise return the documented default. A label
// from the caller always wins.
//
// Every function accepts any text, takes linear time, and may be called from several goroutines at once. Tables are
// built on first use.
//
// # Impact: what happens to a reader who does not know it
//
//   - critical: work stops, or harm is done. The build, the start, a login or a release is blocked; data, secrets, money
//     or customers are lost; the site is down; something expires and then nothing goes. A security hole.
//   - high: it shapes the whole. Rules for every module, service or team: boundaries, ownership, the one way
//     through the system, contracts and their compatibility, decisions on structure.
//   - medium: it shapes a piece of code. How one thing is called, written, tested or configured; an error with its fix;
//     a wrong result in one place; a rule for names that the team keeps to.
//   - low: nice to know. Taste, comfort, history, trivia; nothing is worse without it. So are questions.
//
// Of two that fit, the graver one counts. A soft rule (prefer, consider, may) is low; a harm that is
// ruled out ("does not lose data") is none.
//
// # Category: what it is about, the first of these that fits
//
//   - Testing: how things are tested: tests, their names, tools, data and doubles.
//   - Errors: something goes wrong: a symptom, its cause, its fix; harm that a mistake does.
//   - Performance: time, memory or load, and how to save them.
//   - API: what goes over an interface: endpoints, formats, authentication, limits.
//   - Dependencies: a library, tool or version by name: which one, and its quirks.
//   - Architecture: where things are, which parts there are, who owns what, how parts relate.
//   - Conventions: how things are named, formatted and written here.
//   - General: everything else: people, process, the business.
package classify
