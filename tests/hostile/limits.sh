# `limits:` bounds what builds and runs take. Where cgroups can be had their processes are killed together, and the commit
# failed; where not, each process by itself is refused more. The log names the line of the config that says so.

empty_repo
cat >eat.c <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	size_t n = argc > 1 ? (size_t)atol(argv[1]) << 20 : 0;
	char *bytes = malloc(n);

	if (bytes == NULL) {
		perror("malloc");
		return 3;
	}
	memset(bytes, 1, n);
	return bytes[n / 2] - 1;
}
END
cat >perfevo.yml <<'END'
limits:
  memory: 64MiB
build: cc -o eat eat.c
benchmarks:
  large: {command: ./eat 200, warmup: 0, repeats: 1, allocations: false}
  small: {command: ./eat 4, warmup: 0, repeats: 1, allocations: false}
END
save first

# As far as this machine has it, and as everywhere.
perfevo check >../machine.txt 2>&1 || true
PERFEVO_CGROUP=/nowhere perfevo check >../without.txt 2>&1 || true
for file in ../machine.txt ../without.txt; do
	has 'the log names the line' $file "'limits: memory'"
	has 'what takes less runs' $file '  small   '
done
has 'weaker means are told' ../without.txt "'memory' bounds each process by itself here, not all of a run together"
if ! grep -q 'by itself here' ../machine.txt; then
	has 'the kernel killed it' ../machine.txt 'killed for taking more memory than it may have'
	has 'a fact about the commit' ../machine.txt '  large                        crashed'
fi

# Many files together, where room for them can be had without writing it.
if fallocate -l 700M ../probe 2>/dev/null; then
	rm ../probe
	sed 's/^build:.*/build: "for i in a b; do fallocate -l 700M $i; done; sleep 600; touch done"/; 1,2d' perfevo.yml >../disk.yml
	echo 'disk: 1GiB' >>../disk.yml
	perfevo --config ../disk.yml check >../disk.txt 2>&1 || true
	has 'what fills the disk is ended' ../disk.txt 'ended for filling more of the disk than it may'
	has 'the log names the key' ../disk.txt "more than 1024 MiB or more files than any: 'disk:' in the config"
	has 'that is the commit' ../disk.txt 'build failed'
fi

# Who asks for none has none; what is no size is told.
sed -i 1,2d perfevo.yml
perfevo check >../none.txt 2>&1 || true
has 'without limits it runs' ../none.txt '  large   '
has_not 'nothing is said of memory' ../none.txt memory
printf 'limits: {memory: much}\n' >>perfevo.yml
perfevo check >../wrong.txt 2>&1 || true
has 'a wrong size' ../wrong.txt "'memory' must be a size such as 10GiB or 512M, not 'much'"
