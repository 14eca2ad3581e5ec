# A commit that changes no file which its build reads, and no name that it looks for or lists, is not built: its results
# are those of a build that was made. Where a build cannot be watched, every commit is built; one in twenty is in any
# case, and where that one differs, all are.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
rm -f prog.sh build.sh
mkdir inc1 inc2 parts
cat >prog.c <<'END'
#include <stdio.h>
#include "conf.h"
int part(void);
int main(void)
{
	return printf("%d\n", CONF + part()) < 0;
}
END
echo '#define CONF 1' >inc2/conf.h
echo 'int part(void) { return 1; }' >parts/a.c
cat >build.sh <<'END'
[ ! -e "$CHEAT" ] || { read -r n <"$CHEAT"; echo "__attribute__((constructor)) int cheat(void) { __asm__(\"\"); return $n; }" >cheat.c; echo $((n + 1)) >"$CHEAT"; }
cc -O1 -fno-pie -no-pie -Iinc1 -Iinc2 prog.c parts/*.c $(ls cheat.c 2>/dev/null) -o prog
END
save first
echo 'a program' >README
save docs
echo '#define CONF 2' >inc1/conf.h
save shadow
echo '__attribute__((constructor)) static void other(void) { __asm__(""); }' >parts/b.c
save globbed
config()
{
	perfevo_yml "{steps: [\"$1\"], ccache: false}" 'prog: {command: [./prog], warmup: 0, repeats: 2}'
}
config 'sh build.sh'
echo perfevo.yml >>.git/info/exclude

built()
{
	db 'SELECT v.subject FROM builds b JOIN revisions v ON v.key = b.revision ORDER BY 1' | tr '\n' ' '
}

taken_over()
{
	db 'SELECT v.subject, s.subject FROM reused c JOIN revisions v ON v.key = c.revision
	    JOIN revisions s ON s.key = c.source WHERE unbuilt ORDER BY v.time_s'
}

# Which commits are built in any case follows from their ids: none of these.
track 0 --last 4
same "built" 'first globbed shadow ' "$(built)"
same "taken over" 'docs|first' "$(taken_over)"
echo 'more about it' >README
save more
track 0 --last 5 --dry-run
grep -q '1 of 5 revisions needs no build and no run' "$case_dir/out"
same "a dry run takes over nothing" 'docs|first' "$(taken_over)"
track 0 --last 5
same "built" 'first globbed shadow ' "$(built)"
same "taken over" 'docs|first
more|globbed' "$(taken_over)"
grep 'reused' "$case_dir/out"
perfevo show HEAD | grep 'not built' | sed 's/[0-9a-f]\{8\}/ID/'

# All of them are built, and are what they were taken for.
track 0 --last 5 --all
same "built" 'docs first globbed more shadow ' "$(built)"
same "taken over" '' "$(taken_over)"
same "reused" 'docs more ' "$(db 'SELECT v.subject FROM reused c JOIN revisions v ON v.key = c.revision
	ORDER BY 1' | tr '\n' ' ')"

# What happens in a program that cannot be looked into is not known.
config 'cc -static -o tool prog.c parts/a.c -Iinc2 && ./tool && sh build.sh'
track 0 --last 5
same "built" 'docs first globbed more shadow ' "$(db "SELECT v.subject FROM builds b JOIN revisions v
	ON v.key = b.revision WHERE recipe = 2 ORDER BY 1" | tr '\n' ' ')"
same "why" 1 "$(db "SELECT count(DISTINCT reason) FROM build_reads WHERE reason LIKE '%tool%'")"

# A build that reads what lies outside of its tree makes something else each time: a commit that is built in any case,
# by its id, tells so.
echo 'note 60' >README
save audited
echo 1 >"$case_dir/cheat"
config "CHEAT=$case_dir/cheat sh build.sh"
perfevo track --no-confirm --no-open --last 6 2>"$case_dir/err" >"$case_dir/out"
grep -o 'its build differs from that of .* is built from now on' "$case_dir/err" | sed 's/[0-9a-f]\{10\}/ID/'
same "taken over" '' "$(taken_over)"
same "built" 'audited docs first globbed more shadow ' "$(db "SELECT DISTINCT v.subject FROM builds b
	JOIN revisions v ON v.key = b.revision WHERE recipe = 3 ORDER BY 1" | tr '\n' ' ')"
echo 'still more' >README
save last
track 0 --last 7
same "built" last "$(db "SELECT v.subject FROM builds b JOIN revisions v ON v.key = b.revision
	ORDER BY b.key DESC LIMIT 1")"
