# Several clones measure, push at the same time, and pull: nothing is lost, nothing is there twice, and the
# repositories of the user are as they were.
measured_repo
hub
for clone in a b c; do
	git clone -q ../hub.git "../$clone"
done
runs() { sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) FROM runs'; }

echo "# what is sent, once"
perfevo push -n
perfevo push
perfevo push
echo "# git does not notice"
git for-each-ref --format='%(refname)' | grep perfevo || true
git status --short

echo "# three at once"
for clone in a b c; do
	(cd "../$clone" && on_machine "$clone" && perfevo track --quiet --no-open --last 2 >/dev/null)
done
for clone in a b c; do
	(cd "../$clone" && perfevo push -q >/dev/null 2>"../$clone.log" || cat "../$clone.log") &
	pids="${pids:-} $!"
done
for pid in $pids; do wait "$pid"; done
git ls-remote ../hub.git 'refs/perfevo/results/*' >../refs
[ "$(cut -f 2 ../refs | sort -u | wc -l)" -ge 4 ] || echo "bundles were lost"

echo "# everybody has everything"
for clone in repo a b c; do
	([ "$clone" = repo ] || on_machine "$clone"; cd "../$clone" && perfevo pull -q >/dev/null && runs && perfevo pull)
done
cd ../a
on_machine a
echo "# of every run all samples"
sqlite3 .git/perfevo/perfevo.db "SELECT b.name, m.name, count(*), min(s.value), max(s.value)
	FROM samples s JOIN runs r ON r.key = s.run JOIN metrics m ON m.key = s.metric
	JOIN benchmarks b ON b.key = r.benchmark WHERE m.name = 'score' GROUP BY 1, 2"
echo "# a failed build travels too"
sqlite3 .git/perfevo/perfevo.db "SELECT DISTINCT v.subject, b.log FROM builds b JOIN revisions v ON v.key = b.revision
	WHERE b.outcome <> 0"
