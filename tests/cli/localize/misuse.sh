# Folders that make no pairs, files that are no profiles.
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
# What cannot be matched: a timeline beside samples, in one pair and in one folder.
mkdir lines_old lines_new
cp "$SOURCE_DIR/tests/profile/imports/node.cpuprofile" lines_old/a.cpuprofile
cp "$SOURCE_DIR/tests/profile/imports/node.trace.json" lines_new/a.trace.json
say --old lines_old --new lines_new
cp lines_old/a.cpuprofile lines_new/a.trace.json
cp "$SOURCE_DIR/tests/profile/imports/node.trace.json" lines_old/b.trace.json
cp lines_old/b.trace.json lines_new/b.trace.json
say --old lines_old --new lines_new
