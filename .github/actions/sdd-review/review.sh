#!/usr/bin/env bash
# Comments what the branch that is checked out says, compared with BASE, on pull request NUMBER of REPO, in a clone whose
# remote is origin. The comment of AUTHOR that is there already is updated. From a FORK, without a NUMBER, or
# where the token (GH_TOKEN) may not comment, it goes into the summary of the step. With SARIF true the
# findings are written to a file. Outputs: result and sarif.
set -euo pipefail

temp=${RUNNER_TEMP:-/tmp}
sdd=${SDD:-$temp/sdd}
output=${GITHUB_OUTPUT:-/dev/null}
summary=${GITHUB_STEP_SUMMARY:-/dev/null}
page=$temp/sdd-review.md

# The other branches are fetched to see which of them work on the same.
full=()
[ "$(git rev-parse --is-shallow-repository)" = true ] && full=(--unshallow)
git fetch --quiet --no-tags "${full[@]+"${full[@]}"}" origin "+refs/heads/*:refs/remotes/origin/*"

"$sdd" review-pr --base "origin/$BASE" >"$page"
if [ "${SARIF:-false}" = true ]; then
	"$sdd" review-pr --base "origin/$BASE" --sarif >"$temp/sdd-review.sarif"
	echo "sarif=$temp/sdd-review.sarif" >>"$output"
fi

# done_as says what was done with the comment.
done_as() {
	echo "result=$1" >>"$output"
	echo "sdd review: $1"
}

summarize() {
	cat "$page" >>"$summary"
	done_as summary
}

if [ "${FORK:-false}" = true ] || [ -z "${NUMBER:-}" ]; then
	summarize
	exit
fi

comments="repos/$REPO/issues/$NUMBER/comments"
mine='.[] | select(.user.login == env.AUTHOR and ((.body // "") | startswith("<!-- sdd review -->"))) | .id'
export AUTHOR=${AUTHOR:-github-actions[bot]}
if ! ids=$(gh api --paginate "$comments?per_page=100" --jq "$mine"); then
	summarize
	exit
fi
id=${ids%%$'\n'*}
if [ -n "$id" ]; then
	send=(--method PATCH "repos/$REPO/issues/comments/$id")
	result=updated
elif grep -q '^No record differs\. Compared with' "$page"; then
	done_as none
	exit
else
	send=(--method POST "$comments")
	result=created
fi
if gh api "${send[@]}" -F "body=@$page" >/dev/null; then
	done_as "$result"
else
	summarize
fi
