# The jumps of one commit are one event, whichever and however many benchmarks it moves: a line, its benchmarks counted,
# the worst named; `show` lists all. What another commit moves is another event. An event is accepted as a whole.

new_repo
cat >prog.sh <<'END'
#!/bin/sh
read -r level <level
slow=100 fast=50 other=10
[ "$level" -ge 4 ] && slow=150 fast=40
[ "$level" -ge 6 ] && other=20
case $1 in
a | b | c) echo "score $slow" ;;
d) echo "score $fast" ;;
*) echo "score $other" ;;
esac
END
history 7
score_config 'sh build.sh' 3 '' none
for name in a b c d e; do
	scored $name "./prog $name"
done
track 0 --last 7
out=$case_dir/out
has "a commit is counted once" "$out" 'None slower or faster in 7 commits of 5 benchmarks; suspected: 1 slower, 1 mixed'
same "rows of jumps" 5 "$(grep -c '^   [a-e]  score' "$out")"
has "the class of a commit" "$out" 'mixed, suspected'

track 0 --last 7 --format json
same "events" 2 "$(grep -c '^{"commit":.*"subject":"c[46]","first":' "$out")"
has "one of four benchmarks" "$out" '"class":"mixed","standing":"suspected","words":"mixed, suspected","worse":true,"better":true,"summary":"mixed, suspected: a score +50 %, 3 more benchmarks","contradiction":null,"jumps":[{"benchmark":"a","metric":"score","relative":0.5,"regression":true,"state":"suspect","layout":null,"generic":false,"functions":[]}'
same "jumps that are of it" 4 "$(grep -o '"event":1' "$out" | wc -l)"
same "jumps of the other" 1 "$(grep -o '"event":0' "$out" | wc -l)"

same "the view" 'c4|mixed|suspected|mixed, suspected: a score +50 %, 3 more benchmarks|3|1|a|0.5
c6|slower|suspected|slower, suspected: e score +100 %|1|0|e|1.0' "$(db 'SELECT subject, class, standing, summary, worse, better, benchmark, round(relative, 3) FROM events ORDER BY subject')"
# In the CSV, the status and the page: constructed.sh.
perfevo show HEAD~3 >shown
same "show lists them all" 4 "$(grep -c '^   [a-d]  score  ' shown)"

# As a whole: also what it made better; and that of the other commit is not.
perfevo accept --rev HEAD~3 --why 'all of it' 2>accepted
has "it says what" accepted 'accepted: all benchmarks at'
track 0 --last 7 --format json
same "all are accepted" 4 "$(grep -o '"state":"accepted","pairs"' "$out" | wc -l)"
same "the other is not" 1 "$(grep -o '"state":"suspect","pairs"' "$out" | wc -l)"
track 0 --last 7
has "the headline says so" "$out" 'None slower or faster in 7 commits of 5 benchmarks; suspected: 1 slower; 1 accepted'
perfevo accept --list >list
has "the list says all" list 'all        all'
perfevo accept --remove --rev HEAD~3
same "and it can be taken back" 'nothing is accepted' "$(perfevo accept --list)"
