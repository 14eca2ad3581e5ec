# Commits that change nothing that the benchmark executes are not run: their results are carried over from the
# revision that was, also a later one of an earlier state. What it executes or reads is another matter.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
rm -f prog.sh build.sh
program()
{
	cat >prog.c <<END
/* $1 */
#include <stdio.h>
int main(void)
{
	FILE *made = fopen("made", "w"); /* a product of the run: no part of what it executes */
	FILE *f = fopen("data/in", "r");
	int sum = made == NULL, c;

	while (f && (c = getc(f)) != EOF)
		sum += c * $2;
	printf("%d\n", sum);
	return 0;
}
END
}
mkdir data
echo 1 >data/in
program first 3
save first
echo 'about it' >README
save docs
program 'another comment
 * of two lines' 3
save comment
program 'another comment' 5
save change
echo 2 >data/in
save data
echo 1 >data/in
program first 3
save revert
perfevo_yml 'cc -g -O2 prog.c -o prog' 'prog: {command: [./prog], warmup: 0, repeats: 3}'
echo perfevo.yml >>.git/info/exclude

carried()
{
	db 'SELECT v.subject, s.subject FROM reused c JOIN revisions v ON v.key = c.revision
	    JOIN revisions s ON s.key = c.source ORDER BY v.time_s'
}

track 0 --last 10
same "carried over" 'docs|first
comment|first
revert|first' "$(carried)"
same "measured" 'data first change ' "$(measured)"
has "the result" "$case_dir/out" "results reused"
store_is_whole

# A later session finds its source in the store, without building it again.
echo 'more about it' >README
save 'docs again'
track 0 --last 1
same "carried over later" 'docs again|first' "$(carried | tail -n 1)"
same "batches" 1 "$(db 'SELECT count(*) FROM batches')"
track 0 --last 1
same "batches" 1 "$(db 'SELECT count(*) FROM batches')"

# --again measures them all the same.
track 0 --last 2 --again
same "measured again" 2 "$(db "SELECT count(DISTINCT v.key) FROM runs r JOIN revisions v ON v.key = r.revision
	WHERE v.subject IN ('revert', 'docs again')")"
store_is_whole
