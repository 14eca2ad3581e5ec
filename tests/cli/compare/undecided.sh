# What the runs of two commits leave undecided is measured further, until it is decided or the budget is spent; what is
# decided by then is not measured again, and a jump that is confirmed in the store needs no more runs.
. "$CASE_DIR/../confirm/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
echo 0 >"$runs"
own_config 'cc -O1 -g main.c -o prog'
echo 'profile: {mode: counting}' >>perfevo.yml

# level N: a commit whose program prints N with a noise of 1 %, drawn from the number of the run
level()
{
	cat >main.c <<END
#include <stdint.h>
#include <stdio.h>

int main(void)
{
	FILE *runs = fopen("$runs", "r+");
	unsigned n = 0;
	uint64_t state;
	double sum = 0;

	if (runs == NULL || fscanf(runs, "%u", &n) != 1)
		return 1;
	rewind(runs);
	fprintf(runs, "%u\n", n + 1);
	fclose(runs);
	state = n * 7919ull + 13;
	for (int i = 0; i < 12; i++) {
		state = state * 6364136223846793005u + 1442695040888963407u;
		sum += (double)(state >> 40) / (1 << 24);
	}
	printf("score %.4f\n", $1 * (1 + 0.01 * (sum - 6)));
	return 0;
}
END
	save "level $1"
}

# compared STATUS ARGUMENTS...: what is said of the score, and how many runs there were. Two more are the profiles'.
compared()
{
	expected=$1
	shift
	ends "$expected" perfevo compare "$@"
	echo "$(sed -n 's/^score .*  \(.*\)/\1/p' "$case_dir/out"), $(db 'SELECT count(*) FROM runs') runs"
}

level 100
level 102.4
compared 0 --budget 1ns HEAD~1
has "what is said of it" "$case_dir/out" "undecided: the runs are too few"
has "what to do" "$case_dir/err" "still undecided and the budget is spent: the same command measures more"
compared 1 --fail-on-regression HEAD~1
has "what is done" "$case_dir/err" "1 benchmark is undecided: measuring more, for 10 min at most (--budget)"
has_not "what is done" "$case_dir/err" "still undecided"
compared 0 HEAD~1
echo '--- the same, and it is shown to be'
level 102.4001
compared 0 HEAD~1
compared 0 HEAD~1
echo '--- a jump of the store'
level 102.4002
level 107
level 107.0001
perfevo track --quiet --no-open --all --last 6 >"$case_dir/out" 2>&1 || :
compared 1 --fail-on-regression HEAD~2 HEAD~1
has_not "what is done" "$case_dir/err" "measuring more"
has "whose size it is" "$case_dir/out" "change: of the jump at"
perfevo compare --stored --format json HEAD~2 HEAD~1 >../value.json
perfevo show --format json HEAD~1 >../jump.json
python3 - <<'END'
import json

def levels(found):
    if isinstance(found, dict) and found.get('old_level') is not None:
        yield found['old_level'], found['new_level']
    for inner in found.values() if isinstance(found, dict) else found if isinstance(found, list) else []:
        yield from levels(inner)

value = next(m for b in json.load(open('../value.json'))['benchmarks'] for m in b['metrics'] if m['jump'])
assert (value['old'], value['new']) in list(levels(json.load(open('../jump.json')))), 'levels of other runs than the change'
END
