# Where it cannot be seen what a benchmark reads, nothing is carried over.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
echo 'int main(void) { return 0; }' >prog.c
save first
echo 'about it' >README
save docs
perfevo_yml 'cc -static prog.c -o prog' 'prog: {command: [./prog], warmup: 0, repeats: 2}'
echo perfevo.yml >>.git/info/exclude
track 0 --last 2
same "carried over" 0 "$(db 'SELECT count(*) FROM reused')"
same "measured" 'docs first ' "$(measured)"

# Who knows that both are equal hears why both are run; a program that is another one is no news.
rm -rf .git/perfevo
echo 'int main(void) { return 0 * 7; } int other(void) { return 7; }' >prog.c
save other
perfevo track --no-confirm --no-open --last 3 >"$case_dir/out" 2>"$case_dir/err" || fail "exit status $?: $(cat "$case_dir/err")"
first=$(git rev-parse --short=10 HEAD~2) docs=$(git rev-parse --short=10 HEAD~1)
has 'why both are run' "$case_dir/err" "prog: the programs of $first and $docs are equal, and both are run: what differs between the commits may be read by them, for "
same 'how often it is said' 1 "$(grep -c 'both are run' "$case_dir/err")"
