# A count that differs from run to run and is 0 in some has no ratio: it is not judged, and that is said.

command -v cc >/dev/null || exit 77
empty_repo
echo 0 >../runs
cat >main.c <<END
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

/* Allocates in every fourth run; level LEVEL. */
int main(void)
{
	char digit = 0;
	int fd = open("$PWD/../runs", O_RDWR);
	volatile char *block;

	if (fd < 0 || pread(fd, &digit, 1, 0) != 1)
		return 1;
	if (digit % 4 == 1) {
		block = malloc(100);
		block[0] = 1;
		free((void *)block);
	}
	digit = (char)('0' + (digit - '0' + 1) % 4);
	return pwrite(fd, &digit, 1, 0) != 1;
}
END
cat >perfevo.yml <<'END'
build: cc -O1 main.c -o prog
metrics: {wall: {judge: false}, max-rss: {judge: false}}
benchmarks:
  sometimes: {command: [./prog], warmup: 0}
END
save start
git switch -q -c topic
sed -i 's/LEVEL/1/; s/block\[0\] = 1;/block[0] = 2;/' main.c
save 'another program'
perfevo ci --base main --no-profile >../out 2>../err || echo "status $?"
grep -o 'sometimes, allocations: it differs.*' ../err
