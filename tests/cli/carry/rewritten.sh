# A commit that was amended or rebased away is not in the history any more: what executes the same still has its results.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
rm -f prog.sh build.sh
for figure in 3 5; do
	printf '#include <stdio.h>\nint main(void) { return printf("%%d\\n", %s) < 0; }\n' "$figure" >prog.c
	save "prints $figure"
done
perfevo_yml 'cc -g -O2 prog.c -o prog' 'prog: {command: [./prog], warmup: 0, repeats: 3}'
echo perfevo.yml >>.git/info/exclude
track 0 --last 2
before=$(git rev-parse --short=8 HEAD)

git commit -q --amend -m 'in other words'
track 0 --last 2
same "batches" 1 "$(db 'SELECT count(*) FROM batches')"
perfevo show HEAD >"$case_dir/shown"
has "the amended commit" "$case_dir/shown" 'wall time'
has "its source" "$case_dir/shown" "reused from $before (identical build)"

git filter-branch -f --msg-filter 'cat && echo more' HEAD >"$case_dir/filtered" 2>&1
track 0 --last 2
same "batches" 1 "$(db 'SELECT count(*) FROM batches')"
same "commits with results" 2 "$(perfevo export --format csv | grep -c "^[0-9a-f]*,.*,wall,ns,measured,")"
