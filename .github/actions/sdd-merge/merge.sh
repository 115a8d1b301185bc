#!/usr/bin/env bash
# Merges the branch BASE into HEAD with sdd, in a clone whose remote is origin, and pushes when PUSH is true.
# A pull request from a fork (FORK, with its NUMBER) is merged here only, to see whether it can be. What came of
# it goes to the outputs result and pushed and into the summary of the step. The exit code is 1 when something
# is in conflict and FAIL is true.
set -euo pipefail

sdd=${SDD:-${RUNNER_TEMP:-/tmp}/sdd}
output=${GITHUB_OUTPUT:-/dev/null}
summary=${GITHUB_STEP_SUMMARY:-/dev/null}

# say puts a paragraph into the log and the summary.
say() { printf '%s\n' "$1" | tee -a "$summary"; }

head="refs/heads/$HEAD"
[ "${FORK:-false}" = true ] && head="refs/pull/$NUMBER/head"
full=()
[ "$(git rev-parse --is-shallow-repository)" = true ] && full=(--unshallow)
git fetch --quiet --no-tags "${full[@]+"${full[@]}"}" origin "+refs/heads/$BASE:refs/remotes/origin/$BASE" "+$head:refs/sdd/head"
git checkout --quiet --detach refs/sdd/head

export GIT_AUTHOR_NAME=${GIT_AUTHOR_NAME:-github-actions[bot]}
export GIT_AUTHOR_EMAIL=${GIT_AUTHOR_EMAIL:-41898282+github-actions[bot]@users.noreply.github.com}
export GIT_COMMITTER_NAME=${GIT_COMMITTER_NAME:-$GIT_AUTHOR_NAME}
export GIT_COMMITTER_EMAIL=${GIT_COMMITTER_EMAIL:-$GIT_AUTHOR_EMAIL}

code=0
report=$("$sdd" merge "origin/$BASE" 2>&1) || code=$?
pushed=false
case $code in
0)
	result=merged
	if [ "$(git rev-parse HEAD)" = "$(git rev-parse refs/sdd/head)" ]; then
		result=up_to_date
	elif [ "${PUSH:-false}" = true ]; then
		git push --quiet origin "HEAD:refs/heads/$HEAD"
		pushed=true
	fi
	;;
4)
	result=conflict
	git merge --abort
	;;
*)
	printf '%s\n' "$report" >&2
	exit "$code"
	;;
esac
{
	echo "result=$result"
	echo "pushed=$pushed"
} >>"$output"

case $result in
up_to_date) say "\`$HEAD\` has all of \`$BASE\`." ;;
merged) say "\`$BASE\` merges into \`$HEAD\` without a conflict$([ $pushed = true ] && echo ", and is pushed")." ;;
conflict) say "\`$BASE\` and \`$HEAD\` changed the same things. Merge them in a clone of \`$HEAD\`: \`git fetch && sdd merge $(printf %q "origin/$BASE")\`." ;;
esac
# The report quotes records: it is fenced, with a fence that is longer than any in it.
fence='```'
while [[ $report == *"$fence"* ]]; do fence+='`'; done
say "$fence"$'\n'"$report"$'\n'"$fence"
[ $result != conflict ] || [ "${FAIL:-true}" != true ]
