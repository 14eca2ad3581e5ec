# Ctrl-C while --code builds: the build ends with all that it started, and what it left half done is no build.
. "$CASE_DIR/../track/lib.sh"
command -v cc >/dev/null || exit 77

mark=31537.$$
new_repo
plain_config
# A program is there before the build is over. That one is the same in both commits.
cat >build.sh <<END
cc -g -O1 -DHALF prog.c -o prog
: >"$case_dir/begun"
[ -e "$case_dir/go" ] || sh -c 'sleep $mark' &
[ -e "$case_dir/go" ] || sleep $mark
cc -g -O1 prog.c -o prog
END
cat >prog.c <<'END'
#ifdef HALF
int main(void)
{
	return 77;
}
#else
int main(void)
{
	return 1;
}
#endif
END
save c1
sed -i 's/return 1;/return 2;/' prog.c
save c2

# builds: how many revisions the store calls built
builds()
{
	db 'SELECT count(*) FROM builds'
}

# interrupt: start it, and send the signal once a build has begun
interrupt()
{
	begins "$case_dir/begun" perfevo changes --code -q
	kill -INT "$tool"
	ended 128
	has "how to go on" "$case_dir/err" "run the same command to resume"
	same "no half answer is printed" "" "$(cat "$case_dir/out")"
	same "processes left behind" "" "$(strays "sleep $mark")"
	same "what counts as built" 0 "$(builds)"
	store_is_whole
}

interrupt
interrupt
: >"$case_dir/go"
perfevo changes --code -q >"$case_dir/out" 2>"$case_dir/err" || fail "$(cat "$case_dir/err")"
has "the whole programs are compared" "$case_dir/out" recompiled
same "what counts as built in the end" 2 "$(builds)"
store_is_whole
