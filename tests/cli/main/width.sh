# No line for people is wider than the terminal, or than 120 columns where there is none, whatever names are in it.
unset COLUMNS
empty_repo
long=a_very_long_name_of_a_thing_that_somebody_thought_of_when_screens_were_wide_and_time_was_plenty
folder=src/the_first_folder_of_the_source_tree/and_another_one_below_it/which_holds_the_third_one
mkdir -p "$folder"
write()
{
	cat >"$folder/$long.c" <<END
#include <stdlib.h>
__attribute__((noinline)) static long ${long}_inner(long n, const char *first_argument, const char *second_argument)
{
	volatile long sum = first_argument == second_argument;
	for (long i = 0; i < n; i++)
		sum += i;
	free(malloc($1));
	return sum;
}
int main(void) { long sum = 0; for (int i = 0; i < $1; i++) sum += ${long}_inner(100000, "a", "b"); return sum < 0; }
END
}
cat >perfevo.yml <<END
build: cc -O1 -g -o prog $folder/$long.c
benchmarks:
  "the benchmark $long of the program":
    command: ./prog
    warmup: 0
    repeats: 3
  fails: {command: "echo $long $long $long >&2; exit 3", warmup: 0, repeats: 1}
END
write 200
save "the first commit: $long $long"
write 400
save "the second commit: $long $long"

# fits COLUMNS COMMAND...: its output has lines, none of them too wide
fits()
{
	columns=$1
	shift
	"$@" >out 2>err </dev/null || [ $? -lt 126 ] || fail "$*: $(cat err)"
	[ -s out ] || fail "$* prints nothing: $(cat err)"
	widest=$(wc -L <out)
	[ "$widest" -le "$columns" ] || fail "$*: $widest columns in '$(awk -v n="$columns" 'length($0) > n' out | head -n 1)'"
}

fits 120 perfevo check
fits 120 perfevo track --no-open --dry-run
fits 120 perfevo track --no-open
fits 120 perfevo bisect HEAD~1 HEAD -b '^the' -m allocations
# 'bisect' compares, too.
export COLUMNS=80
for command in log 'log --no-graph' 'log -m allocations' show status 'changes --code' 'compare HEAD~1 HEAD -b ^the' \
	'profile -b ^the' 'profile -b ^the --hot'; do
	fits 80 perfevo $command
done
# However much of it there is room for: a time that nothing ran has a column, too.
has 'the file of a shortened path' out 'y.c:2'
