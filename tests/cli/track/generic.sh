# Instructions of a program that asks which processor it has, and executes another function on this one, are marked beside
# each of their jumps.
. "$CASE_DIR/../ci/lib.sh"
on_other_processor
empty_repo
perfevo_yml 'cc -O1 prog.c -o prog' 'prog: {command: [./prog], warmup: 0}'
# commit ASKS TURNS: of either function
commit()
{
	asking "$2" $(($2 + 1000)) "$1"
	save "asks $1, $2 turns"
}
mark="counts of the generic code: 'sum_here' runs on this processor, and not where they are taken"
commit 1 1000000
commit 1 2000000
perfevo track --counts --quiet >../out 2>../err || fail "$(cat ../err)"
has 'in the table' ../out "$mark"
perfevo track --counts --quiet --format md >../out
has 'as Markdown' ../out 'exact; counts of the generic code: '
perfevo track --counts --quiet --format json >../out
same 'as JSON, of the series and of the commit' 2 "$(grep -o '"generic":true' ../out | wc -l)"
perfevo show HEAD >../out
has 'of one commit' ../out "$mark"
perfevo log --no-graph -b prog -m simulated-instructions >../out
has 'in the log' ../out "$mark"
perfevo compare --counts --quiet HEAD~1 HEAD >../out
has 'where two are compared' ../out "$mark"
perfevo compare --counts --quiet --format json HEAD~1 HEAD >../out
same 'as JSON, of the instructions alone' 1 "$(grep -o '"generic":true' ../out | wc -l)"
rm -rf .git/perfevo
echo '/* more */' >>prog.c
save comment
perfevo track --counts --last 2 --no-open >../out 2>../err
has 'without a jump' ../err "prog: $mark"

# Who does not ask is not marked.
rm -rf .git/perfevo
commit 0 1000000
commit 0 2000000
perfevo track --counts --quiet --last 2 --format json >../out 2>../err || fail "$(cat ../err)"
has 'a jump' ../out '"regression":true'
has_not 'a mark' ../out '"generic":true'
