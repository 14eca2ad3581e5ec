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
