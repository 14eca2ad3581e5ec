/* A build that another worker of a farm made, to be unpacked; behind a good first line, or its own. */
#include "core/base/files.h"
#include "core/base/parcel.h"
#include "require.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/dev/shm/perfevo-fuzz.XXXXXX";
static int dir = -1;

static void prepare(void)
{
	if (mkdtemp(folder) == NULL)
		abort();
	dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char first[] = "perfevo parcel 1\n";
	int tree, in;

	if (dir < 0)
		prepare();
	if (pe_files_make_fresh(dir, "tree") != 0)
		abort();
	tree = openat(dir, "tree", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	in = openat(dir, "parcel", O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (tree < 0 || in < 0 || write(in, first, sizeof(first) - 1) < 0 ||
	    write(in, data, size) < 0 || lseek(in, 0, SEEK_SET) != 0)
		abort();
	pe_parcel_unpack(tree, in, 1 << 16, NULL);
	close(in);
	close(tree);
	require(pe_files_size(folder) < (4 << 20), "no more than it may take");
	require(access("/dev/shm/out", F_OK) != 0, "nothing beside the folder");
	return 0;
}
