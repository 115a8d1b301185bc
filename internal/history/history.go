// Package history compares versions of records, by section and item: the changes between two states (diff), the commits and authors
// of a text (log, why), the latest changes, and the changes of a branch on one page (review-pr).
package history
