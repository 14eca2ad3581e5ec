# What cannot be reported says why, and what to do.
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
exec 2>&1
git init -q repo
cd repo
save 'nothing yet'
perfevo report || echo "status $?"
perfevo report HEAD HEAD || echo "status $?"
test ! -e .git/perfevo
