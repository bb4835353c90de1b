#!/bin/sh
# What a pull request against $BASE must pass, after npm ci; changes/ gets a comment and pictures for the reviewer.
set -eu
BASE=${BASE:-origin/main}

npx x-flow check flows --strict
npx tsc --noEmit
npx vitest run

mkdir -p changes
for flow in $(git diff --name-only --diff-filter=AM --relative "$BASE" -- 'flows/*.json'); do
  before="$BASE:./$flow"
  git cat-file -e "$before" 2> /dev/null || before=/dev/null
  npx x-flow diff "$before" "$flow" --markdown --svg "changes/$(basename "$flow" .json).svg" >> changes/comment.md
done
