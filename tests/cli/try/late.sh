# Once its time is over `ci` begins no further benchmark and does not call that passed; `try --budget` ends builds, too.
. "$CASE_DIR/../track/lib.sh"
PERFEVO_VALGRIND=$(command -v valgrind) || exit 77
export PERFEVO_VALGRIND
new_repo
config()
{
	perfevo_yml "$1" 'first: ./prog' 'second: ./prog again'
}
config 'cc -O0 -o prog main.c'
commit()
{
	printf '#include <stdlib.h>\nint main(void) { for (int i = 0; i < %s; i++) free(malloc(10)); return 0; }\n' "$1" >main.c
	save "$2"
}
commit 1000 one
commit 1001 two
status=0
perfevo ci --counts --budget 1ms --base HEAD~1 >out 2>err || status=$?
echo "ci: status $status"
cat out
config 'tail -f /dev/null'
status=0
perfevo try --budget 300ms >out 2>err || status=$?
echo "try: status $status"
cat out err
