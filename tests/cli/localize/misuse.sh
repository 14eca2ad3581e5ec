# Folders that make no pairs, files that are no profiles.
# shellcheck source=tests/cli/lib.sh
. "$CASE_DIR/../lib.sh"
set +e
say()
{
	perfevo localize -q "$@" 2>&1
	echo "status $?"
}
say
say --old here
mkdir old new empty
echo 'main;a 1' >old/1.folded
echo 'main;a 1' >old/2.folded
echo 'main;a 1' >new/1.folded
touch new/.hidden
say --old old --new gone
say --old old --new empty
say --old old --new new
say --old old --new new --pairs 2
say --old old --new new old
echo nothing >new/2.folded
say --old old --new new
