#!/usr/bin/env bash
set -euo pipefail
source ./lib.sh

# doc
log() { echo "[$(date +%s)] $*" >&2; }

function build {
  local x="${1:-"a }"}" n=$#
  case "$x" in
    a) echo 'it }' ;;
    b|c) echo "${x#*}" ;;
  esac
  cat <<EOF2
} done
EOF2
  if [[ $x =~ ^a ]]; then
    log a-b "$x" # c }
  fi
}

my-func::x() (
  cd /tmp
)

deploy()
{
    for f in *.go; do
        echo "$f"
    done
}
deploy "$@"
