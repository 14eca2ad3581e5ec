# Where it cannot be seen what a benchmark reads, nothing is carried over.
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
cat >prog.c <<'END'
int main(void)
{
	return 0;
}
END
save first
echo 'about it' >README
save docs
cat >perfevo.yml <<'END'
build: cc -static prog.c -o prog
benchmarks:
  prog: {command: [./prog], warmup: 0, repeats: 2}
END
echo perfevo.yml >>.git/info/exclude
track 0 --last 2
same "carried over" 0 "$(db 'SELECT count(*) FROM reused')"
same "measured" 'docs first ' "$(measured)"
