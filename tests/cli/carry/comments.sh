# A commit that changes nothing but the text of comments is not built: every token stands where it stood. Where lines move, or
# where others than compilers read the sources, it is.
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
rm -f prog.sh build.sh
cat >prog.c <<'END'
#include <assert.h>
#include <stdio.h>
int main(int argc, char **argv) /* one */
{
	assert(argc > 0); // two
	return puts(argv[0]) < 0;
}
END
save first
sed -i 's/one/the first/; s/two/the second, in more words/' prog.c
save words
sed -i '3i /* three */' prog.c
save line
sed -i 's/three/four/' prog.c
save again
sed -i 's/argc > 0/argc > 1 - 1/' prog.c
save code
cat >perfevo.yml <<'END'
build: {steps: [cc -O1 prog.c -o prog], ccache: false}
benchmarks:
  prog: {command: [./prog], warmup: 0, repeats: 2}
END
echo perfevo.yml >>.git/info/exclude

built()
{
	db "SELECT v.subject FROM builds b JOIN revisions v ON v.key = b.revision JOIN recipes r ON r.key = b.recipe
	    WHERE r.key = $1 ORDER BY v.time_s" | tr '\n' ' '
}

# Which commits are built in any case follows from their ids: none of these.
track 0 --last 5
same "built" 'first line code ' "$(built 1)"
same "taken over" 'words|first
again|line' "$(db 'SELECT v.subject, s.subject FROM reused c JOIN revisions v ON v.key = c.revision
	JOIN revisions s ON s.key = c.source WHERE unbuilt ORDER BY v.time_s')"
track 0 --last 5 --all
same "misread" 0 "$(db 'SELECT count(*) FROM misread')"

sed -i 's/steps: \[/steps: [grep -c one prog.c || true, /' perfevo.yml
track 0 --last 5
same "built where grep reads" 'first words line again code ' "$(built 2)"
