# On a terminal one line is drawn over and over and then taken away; for programs it is an object a line.
empty_repo
perfevo_yml '"true"' 'wait: {command: sleep 0.4, warmup: 0, repeats: 4, allocations: false}'
save one
save two
# The runs take three seconds at least, and the line comes after one.
export TERM=xterm COLUMNS=80
script -qec 'stty cols 80; perfevo track --no-open --last 2 2>&1 >/dev/null' /dev/null </dev/null >drawn
tr '\r' '\n' <drawn | sed 's/\x1b\[K/|/g' |
	grep -oE '^[0-9a-f]{7}  wait  run [1-7]/8  elapsed [0-9]+ s(  about [0-9]+ s left)?\|$' |
	sed -E 's/^[0-9a-f]{7}  wait .*/a line/' | sort -u
printf 'lines longer than the terminal: '
tr '\r' '\n' <drawn | sed 's/\x1b\[K//g' | grep -v '^perfevo: report: ' | grep -cE '^.{80,}$' || :
rm -r .git/perfevo "$HOME/cache"
perfevo track --no-open --last 2 --format json >answer 2>events
printf 'objects: '
if grep -qvE '^\{"event":"(build|warmup|run|methods|note)".*\}$' events; then echo 'and something else'; else echo 'nothing else'; fi
grep -oE '"event":"(build|run)"' events | sort -u
printf 'the answer: '
if [ "$(head -c 1 answer)" = '{' ] && ! grep -q '"event"' answer; then echo 'a document of its own'; fi
