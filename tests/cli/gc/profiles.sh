measured_repo
db=.git/perfevo/perfevo.db

# profiled REV: as if this commit had been profiled
profiled()
{
	sqlite3 "$db" "INSERT INTO profiles (machine, benchmark, revision, kind, settings, tool, file, note, taken_s)
		SELECT h.key, b.key, '$(git rev-parse "$1")', 'counting', '', 'perfevo', '', '', 1 FROM machines h, benchmarks b"
}
# the subjects of the commits that have a profile, newest first
profiles()
{
	git log --format='%H %s' --all | while read -r id subject; do
		sqlite3 "$db" "SELECT '$subject' FROM profiles WHERE revision = '$id'"
	done
	sqlite3 "$db" "SELECT count(*) || ' profiles' FROM profiles;
		SELECT count(*) || ' figures' FROM measurements WHERE metric = 'score'"
}
for rev in HEAD HEAD~1 HEAD~2 HEAD~3; do
	profiled $rev
done
echo "# a dry run drops nothing"
perfevo gc --profiles -n
profiles
echo "# without options all stay"
perfevo gc -q
profiles
echo "# the last two commits keep theirs, all keep their figures"
perfevo gc -q --profiles-keep-last 2
profiles
echo "# a commit that was never measured and that nothing leads to"
git switch -q -c aside
save 'elsewhere'
profiled HEAD
git switch -q main
git branch -q -D aside
perfevo gc -n --unreachable
perfevo gc -q --unreachable
profiles
echo "# all"
perfevo gc --profiles | sed 2q
profiles
perfevo gc --profiles --profiles-keep-last 2 || echo "status $?"
