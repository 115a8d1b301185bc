// Package review is what a reviewer is shown of records: what is wrong with them (check), what
// changed between two versions, section by section (diff), who wrote what (log, why), and what a
// branch does to them, on one page (review-pr).
package review
