// Package review reports on records for a reviewer: problems (check), differences between two versions by section (diff), the
// authors and commits of a text (log, why), and the changes of a branch on one page (review-pr).
package review
