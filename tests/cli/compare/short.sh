# A benchmark too short for samples: its counts tell what changed, and why there are no times is said.
command -v gcc >/dev/null || exit 77
empty_repo
cat >prog.c <<'END'
#define APART __attribute__((noinline))
volatile int sink;

APART int leaf(int x)
{
	sink += x;
	return sink;
}

APART int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i);
	return sum;
}

int main(void)
{
	for (int i = 0; i < 10; i++)
		work(5);
	return 0;
}
END
# Ten samples a second: none is taken in a millisecond.
echo '{build: gcc -O1 prog.c -o prog, benchmarks: {prog: {command: [./prog], warmup: 0, repeats: 3}}, profile: {rate: 10, runs: 2}}' >perfevo.yml
save first
sed -i 's/i < n/i < n + 3/' prog.c
save 'more calls'
perfevo compare HEAD~1 HEAD 2>messages | sed -n '/times of calls/,$p' | sed '/^$/,$d'
grep -c 'no sample was taken' messages
# What was collected without samples is not collected again.
perfevo compare HEAD~1 HEAD >/dev/null 2>messages
grep -c 'build' messages || true
perfevo compare -q --format json HEAD~1 HEAD | grep -o '"untimed":"[^,]*'
perfevo compare -q --format md HEAD~1 HEAD | grep -c 'times of calls are unknown'
perfevo compare -q --format svg HEAD~1 HEAD | grep -o 'new makes [^<]*'
perfevo profile -q --format folded -w calls
perfevo compare -q --no-open --format html -o page.html HEAD~1 HEAD 2>/dev/null
page_block page.html c0 | grep -o '"untimed":"[^,]*'
