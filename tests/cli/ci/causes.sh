# Causes are those of the metric that regressed: the functions that execute more stand below the instructions, and none of them
# below allocations that another function makes.
with_valgrind
empty_repo
cat >main.c <<'END'
#include <stdlib.h>
static volatile unsigned x;
static void *volatile kept;
__attribute__((noinline)) static void spin(unsigned n) { while (n-- > 0) x += n; }
__attribute__((noinline)) static void hoard(unsigned n) { while (n-- > 0) { kept = malloc(16); free(kept); } }
int main(void) { spin(1000000); hoard(100); return 0; }
END
cat >perfevo.yml <<'END'
build: gcc -O1 -g main.c -o prog
metrics: {wall: {judge: false}, cpu: {judge: false}, max-rss: {judge: false}, instructions: {judge: false}}
benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 1}}
END
save start
git switch -q -c topic
sed -i 's/spin(1000000)/spin(3000000)/; s/hoard(100)/hoard(300)/' main.c
save 'more of both'
ends 1 perfevo ci -q --base main --json ../ci.json
python3 - <<'END'
import json

causes = {c['metric']: ' '.join(cause['text'] for cause in c['causes']) for c in json.load(open('../ci.json'))['checks'] if c['answer'] == 'regressed'}
assert set(causes) == {'allocations', 'allocated-bytes', 'simulated-instructions'}, causes
assert 'spin' in causes['simulated-instructions'], causes
for metric in 'allocations', 'allocated-bytes':
    assert 'hoard' in causes[metric] and 'spin' not in causes[metric], causes
END
