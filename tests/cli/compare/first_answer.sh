# Where all builds are kept, half of the samples name the method before anything is timed. The document comes once.
needs gcc
empty_repo
cat >prog.c <<'EOF'
#define APART __attribute__((noinline))
static volatile unsigned sink;
APART static void hot(void)
{
	for (unsigned i = 0; i < 20000000; i++)
		sink++;
}
APART static void cool(unsigned n)
{
	for (unsigned i = 0; i < 4000000; i++)
		sink += n;
}
int main(void)
{
	hot();
	cool(1);
	return 0;
}
EOF
cat >run.sh <<EOF
case \$LD_PRELOAD in *_calls*) echo calls ;; *_sample*) echo samples ;; *_alloc*) echo allocations ;; *) echo time ;; esac >>$PWD/../runs
./prog
EOF
echo '{build: gcc -O1 -g prog.c -o prog, benchmarks: {prog: {command: . ./run.sh, warmup: 0, repeats: 2}}, profile: {runs: 8}}' >perfevo.yml
save first
sed -i 's/4000000/120000000/' prog.c
save 'cool works longer'
perfevo compare HEAD~1 HEAD >/dev/null 2>messages
grep -c 'first samples' messages || true
uniq ../runs | xargs
rm ../runs
perfevo compare --again --format json HEAD~1 HEAD >document 2>messages
grep -o 'prog, by the first samples: `cool` (modified, prog.c:8): +' messages
grep -c 'counts and times follow' messages
uniq ../runs | xargs
sqlite3 :memory: "SELECT json_array_length(readfile('document'), '$.benchmarks')"
