# Counts below valgrind are the same on all processors: the C library takes its functions for the oldest one. A benchmark's own
# settings for it hold.
with_valgrind
new_repo
rm build.sh prog.sh
cat >prog.c <<'END'
#include <stdlib.h>
#include <string.h>
int main(void)
{
	static char from[1 << 14], to[1 << 14];
	size_t (*volatile length)(const char *) = strlen;
	void *(*volatile copy)(void *, const void *, size_t) = memcpy;
	const char *own = getenv("GLIBC_TUNABLES");
	size_t n = 0;

	memset(from, 'x', sizeof(from) - 1);
	for (int i = 0; i < 100; i++)
		n += length(copy(to, from, sizeof(from)));
	return n == 0 || own == NULL || strstr(own, "glibc.malloc.arena_max=1") == NULL;
}
END
cat >perfevo.yml <<'END'
build: cc -O1 -g prog.c -o prog
run: {instructions: simulated}
benchmarks:
  prog: {command: [./prog], repeats: 1, warmup: 0, env: {GLIBC_TUNABLES: glibc.malloc.arena_max=1}}
END
save one
perfevo track --all -q >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
perfevo export --functions HEAD >"$case_dir/functions"
has 'the program' "$case_dir/functions" ',main,'
same 'functions of younger processors' '' "$(grep -i 'avx\|evex\|ssse3\|sse4' "$case_dir/functions" | grep -v tunable)"
# What the loader reads of the setting is the same in each run.
same 'counted twice, and the same' '1 2' "$(db "SELECT count(DISTINCT value), count(*) FROM measurements
	WHERE metric = 'simulated-instructions'" | tr '|' ' ')"
# No instruction counts that is not executed: translated one at a time, it is the same number.
counted() { db "SELECT DISTINCT value FROM measurements WHERE metric = 'simulated-instructions'"; }
together=$(counted)
printf '#!/bin/sh\nexec valgrind --vex-guest-max-insns=1 "$@"\n' >"$case_dir/single"
chmod +x "$case_dir/single"
rm -f "$store"*
PERFEVO_VALGRIND=$case_dir/single perfevo track --all -q >"$case_dir/out" 2>"$case_dir/err" || fail "single: $(cat "$case_dir/err")"
same 'one at a time' "$together" "$(counted)"
