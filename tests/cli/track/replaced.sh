# What a benchmark executes from outside of its tree may be replaced between two days: an upgraded library, another
# interpreter. It is no regression of the commit that happened to come next; a real one beside it is found all the same.

# library BLOCKS: another version, in the same place
library()
{
	cat >"$case_dir/helper.c" <<END
#include <stdlib.h>
static void *volatile kept;
void help(void);
void help(void)
{
	for (int i = 0; i < $1; i++) {
		kept = malloc(32);
		free(kept);
	}
}
END
	mkdir -p "$case_dir/lib"
	${CC:-cc} -shared -fPIC -o "$case_dir/lib/new.so" "$case_dir/helper.c"
	mv "$case_dir/lib/new.so" "$case_dir/lib/libhelper.so"
}

work=$case_dir
. "$SOURCE_DIR/tests/cli/slurm_stand_in.sh"
new_repo
rm prog.sh
echo "\${CC:-cc} -o prog prog.c -L'$case_dir/lib' -lhelper -Wl,-rpath,'$case_dir/lib'" >build.sh
cat >prog.c <<'END'
#include <stdlib.h>
#include "level.h"

void help(void);
static void *volatile kept;

int main(void)
{
	for (int i = 0; i < BLOCKS; i++) {
		kept = malloc(64);
		free(kept);
	}
	help();
	return 0;
}
END
cat >perfevo.yml <<'END'
build: sh build.sh
benchmarks:
  prog: {command: ./prog, warmup: 0, repeats: 2}
metrics: {wall: {judge: false}, cpu: {judge: false}, user: {judge: false}, max-rss: {judge: false}, allocated-bytes: {judge: false}, allocated-peak: {judge: false}}
END
echo "farm: {cache: '$case_dir/cache'}" >>perfevo.yml
echo perfevo.yml >>.git/info/exclude

# commit BLOCKS SUBJECT
commit()
{
	echo "#define BLOCKS $1" >level.h
	save "$2"
}

jumps()
{
	db "SELECT subject, regression FROM jumps_named WHERE metric = 'allocations' ORDER BY subject"
}

library 1000
commit 5000 'one'
commit 5001 'two'
track 0 --last 2
has_not "nothing was replaced" "$case_dir/err" replaced

# A farm's workers say what they executed, in the pieces that they leave.
on_farm()
{
	XDG_CACHE_HOME="$HOME/other" perfevo --store "$case_dir/farm.db" track --farm slurm --no-confirm --no-open --last "$1" \
		>"$case_dir/out" 2>"$case_dir/err" </dev/null
}

perfevo --store "$case_dir/farm.db" farm init >"$case_dir/out"
on_farm 2

library 9000
commit 5002 'three'
commit 5003 'four'
commit 7000 'five'
perfevo track --no-confirm --no-open --last 5 >"$case_dir/out" 2>"$case_dir/err" </dev/null
has "counts begin anew" "$case_dir/err" 'cannot be compared with the rest'
same "the one real jump" 'five|1' "$(jumps)"
perfevo log --no-pager -m allocations >"$case_dir/log"
same "changes in the log" '+14.2 ~+0.01 ~+0.02' "$(awk '/ (two|three|four|five)( |$)/ { print $2 }' "$case_dir/log" |
	grep '^[~+]' | paste -sd ' ')"

commit 7001 'six'
perfevo track --no-confirm --no-open --last 6 >"$case_dir/out" 2>"$case_dir/err" </dev/null
same "the same jump" 'five|1' "$(jumps)"

# The first of these commits was not counted since: what it had then is not held against what the last one has now.
perfevo compare HEAD~5 HEAD~3 --no-pager >"$case_dir/out" 2>"$case_dir/err" || :
has_not "no regression of the library's" "$case_dir/out" "worse"
has_not "not even an uncertain one" "$case_dir/out" "blame"

# A farm tells the same, and so do results that travel: what they say is what the coordinator knows.
git checkout -q HEAD~1
on_farm 5
git checkout -q -
known="SELECT v.subject, r.epoch, s.modules LIKE '%libhelper.so%' FROM runs r JOIN revisions v ON v.key = r.revision
	JOIN module_sets s ON s.key = r.modules ORDER BY r.epoch, v.subject"
same "what the farm knows" 'one|1|1 two|1|1 five|2|1 four|2|1 three|2|1' "$(sqlite3 "$case_dir/farm.db" "$known" |
	uniq | paste -sd ' ')"
same "the farm's jump" 'five|1' "$(sqlite3 "$case_dir/farm.db" "SELECT subject, regression FROM jumps_named WHERE metric = 'allocations'")"
git init -q --bare "$case_dir/hub.git"
git remote add hub "$case_dir/hub.git"
git push -q hub HEAD
perfevo --store "$case_dir/farm.db" push --quiet hub >"$case_dir/out"
on_machine other
perfevo --store "$case_dir/pulled.db" pull --quiet hub >"$case_dir/out"
same "what travelled" "$(sqlite3 "$case_dir/farm.db" "$known")" "$(sqlite3 "$case_dir/pulled.db" "$known")"
