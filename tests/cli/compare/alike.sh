# Two commits whose programs are equal, but open files unseen: compare runs both and says why, and does not spend its budget
# on what stays undecided then. The same command does.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
rm build.sh prog.sh
# One run in two takes twice as much as the other: nothing is decided by a few of them.
cat >prog.c <<END
#include <stdio.h>
int main(void)
{
	FILE *file = fopen("$case_dir/count", "r+");
	int n = 0;
	if (file == NULL || fscanf(file, "%d", &n) != 1)
		return 1;
	rewind(file);
	fprintf(file, "%d\n", n + 1);
	printf("score %d\n", n % 2 == 0 ? 1000 : 2000);
	return fclose(file);
}
END
save first
echo 'about it' >README
save docs
score_config 'cc -static prog.c -o prog' 3 '' none ''
scored prog '[./prog]'
echo perfevo.yml >>.git/info/exclude
echo 0 >"$case_dir/count"
export PERFEVO_SEED=7

# The exit status says that such a program cannot be profiled.
ends 125 perfevo compare HEAD~1 HEAD
has 'why both are run' "$case_dir/err" 'are equal, and both are run'
has 'what is not done' "$case_dir/err" '1 benchmark is undecided, and not measured on, for the programs are equal: the same command measures more'
has_not 'the budget' "$case_dir/err" 'measuring more, for'
same 'runs of one batch' 6 "$(db 'SELECT count(*) FROM runs WHERE kind = 0')"
ends 125 perfevo compare HEAD~1 HEAD
has 'what is done when it is called again' "$case_dir/err" 'measuring more, for 10 min at most (--budget)'
