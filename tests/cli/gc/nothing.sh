# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
git init -q repo
cd repo
save start
perfevo gc
test ! -e .git/perfevo
