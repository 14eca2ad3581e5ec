# P2: a bundle names commits with other parents, authors and subjects, and commits that are not here. Commits are what
# this repository says that they are; rows of those that are not here wait.

measured_repo
open_hub
genuine '"batch":{' | elsewhere >../honest
# A5: with everything of a commit, in columns that a later version might have
sed 's/^\["\([0-9a-f]\{40\}\)"\]/["\1",1,"Mallory","all is well",["0000000000000000000000000000000000000000"]]/' ../honest >../a5
forge ../a5
refused_once 0
! grep -q Mallory .git/perfevo/perfevo.db || fail "a name came out of a bundle"
same "runs of the other machine" 15 "$(sqlite3 "$database" "SELECT count(*) FROM runs r JOIN batches b ON b.key = r.batch
	JOIN machines m ON m.key = b.machine WHERE m.origin = 'unsigned' AND m.remote = 'origin'")"

# a commit that is not here: its rows come when it does
git clone -q "$hub" ../clone
cd ../clone
on_machine clone
save later
later=$(git rev-parse HEAD)
perfevo track --quiet --no-open --no-confirm --last 1 >/dev/null
perfevo push -q >/dev/null
cd ../repo
on_machine repo
perfevo pull >../out 2>&1
has "the first pull" ../out 'of commits that are not here'
perfevo pull >../out 2>&1
has_not "a pull without the commit" ../out 'not here'
git fetch -q ../clone main
perfevo pull >../out 2>&1
has "the pull with the commit" ../out 'imported 3 runs'
same "runs of it" 3 "$(sqlite3 "$database" "SELECT count(*) FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE v.id = '$later'")"
