// Package classify reads the sentence or two of a learning: how much it matters, what it is about,
// which files it names, how near it is to another one, and whether it contradicts one.
//
// All of it is deterministic and pure, and every answer comes with the rule and the words that decided. English is read best; of
// other languages a few plain words count, and the rest gets the default that the function names. A label that the caller gives
// always wins over these.
//
// Every function takes any text, is linear in its length, and may be called from several
// goroutines at once. Tables are made on first use.
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
