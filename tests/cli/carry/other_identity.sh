# An identity of another kind says nothing: what a store of an earlier perfevo holds is measured once more, and not taken
# for something else; from then on commits are told to be the same again.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
printf 'int main(void) { return 0; }\n' >prog.c
printf 'cc -O1 -o prog prog.c\n' >build.sh
save first
perfevo_yml 'sh build.sh' 'prog: {command: [./prog], warmup: 0, repeats: 2}'
echo perfevo.yml >>.git/info/exclude
reused() { db "SELECT v.subject FROM reused u JOIN revisions v ON v.key = u.revision ORDER BY u.revision"; }
measured() { db "SELECT DISTINCT v.subject FROM runs r JOIN revisions v ON v.key = r.revision ORDER BY v.key"; }

perfevo track --quiet --no-open --no-confirm --last 1 >/dev/null
same 'of one kind' 1 "$(db "SELECT count(*) FROM executions WHERE identity LIKE 'x3:%' AND length(identity) = 35")"
db "UPDATE executions SET identity = substr(identity, 4), functions = NULL, executed = NULL"
echo 'about it' >README
save docs
perfevo track --quiet --no-open --no-confirm --last 2 >/dev/null
same 'nothing is reused' '' "$(reused)"
same 'measured' 'first
docs' "$(measured)"
echo 'more about it' >README
save 'more docs'
perfevo track --quiet --no-open --no-confirm --last 3 >/dev/null
same 'reused' 'more docs' "$(reused)"
