# Instructions are counted on valgrind's processor. Of a program that asks which processor it has, and executes other functions
# on this one, the counts are marked, and pass no change of such a function.
on_other_processor
empty_repo
perfevo_yml 'cc -O1 prog.c -o prog' 'prog: {command: [./prog], warmup: 0}'
asking 1000000 1000000
save start
git switch -q -c topic

# ci STATUS: of the last commit; the row of the instructions
ci()
{
	ends "$1" perfevo ci --base HEAD~1 --counts --no-profile --json ../ci.json
}
mark="counts of the generic code: 'sum_here' runs on this processor, and not where they are taken"

asking 900000 1300000
save 'fewer instructions there, more here'
ci 125
grep -q "$mark" ../out || fail "not marked: $(cat ../out)"
has "as JSON" ../ci.json '"generic":true'
has "why" ../err 'counts alone do not decide (status 125)'

asking 1000000 1300000
save 'another function that is not executed here'
ci 0
grep -q 'no change in' ../out || fail "what does not run here: $(cat ../out)"

asking 1200000 1500000
save 'more instructions in both'
ci 1
grep -q "$mark" ../out || fail "not marked: $(cat ../out)"

sed -i 's/malloc(16)/malloc(17)/' prog.c
save 'neither of them'
ci 0
grep -q '"answer":"passed".*"generic":true' ../ci.json || fail "not marked: $(cat ../ci.json)"

# Who does not ask is not marked.
asking 1200000 1500000 0
save 'without the question'
sed -i 's/malloc(16)/malloc(18)/' prog.c
save 'and again'
ci 0
has "as JSON" ../ci.json '"answer":"passed"'
has_not "a mark" ../ci.json '"generic":true'
