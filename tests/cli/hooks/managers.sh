# Hook managers are told, not fought: nothing is written, and what belongs into their config is printed.

measured_project
rm -f .git/hooks/*

echo '--- husky'
mkdir -p .husky/_
git config core.hooksPath .husky/_
perfevo hooks install --post-commit --pre-push && fail 'installed'
same 'nothing was written' '' "$(ls -A .husky/_)"
# The line does what it says, in husky's way of calling it.
echo '! command -v perfevo >/dev/null || perfevo hook post-commit || true' >.husky/post-commit
printf '#!/bin/sh\nsh -e .husky/post-commit "$@"\n' >.husky/_/post-commit
chmod +x .husky/_/post-commit
commit 'by husky'
idle
same 'the commit was measured' pass "$(result HEAD)"
git config --unset core.hooksPath
rm -r .husky

echo '--- pre-commit'
echo 'repos: []' >.pre-commit-config.yaml
perfevo hooks install --post-commit && fail 'installed'
same 'nothing was written' '' "$(ls -A .git/hooks)"
perfevo hooks status
rm .pre-commit-config.yaml

echo '--- lefthook'
echo '{}' >lefthook.yml
perfevo hooks install --pre-push --pre-commit && fail 'installed'
perfevo hooks install --pre-push --anyway
