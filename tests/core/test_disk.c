/* What a folder takes is found, whatever others take and give back meanwhile. */
#include "probe/launcher/disk.h"

#include "tests/support/test.h"

#include <time.h>

enum { MIB = 1 << 20, BOUND = 8 };

static char around[64], folder[80];
static struct pe_disk disk;

static void set_up(void)
{
	snprintf(around, sizeof(around), "/tmp/perfevo-disk-XXXXXX");
	cr_assert(ne(ptr, mkdtemp(around), NULL));
	snprintf(folder, sizeof(folder), "%s/tree", around);
	cr_assert(eq(int, mkdir(folder, 0700), 0));
}

static void tear_down(void)
{
	char command[128];

	pe_disk_close(&disk);
	snprintf(command, sizeof(command), "rm -r %s", around);
	cr_expect(eq(int, system(command), 0));
}

TestSuite(disk, .init = set_up, .fini = tear_down);

/* A file of so many MiB below the folder or beside it. */
static void fill(const char *where, const char *name, unsigned mib)
{
	static const char block[MIB] = "x";
	char path[128];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", where, name);
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	cr_assert(fd >= 0);
	for (unsigned i = 0; i < mib; i++)
		cr_assert(eq(sz, (size_t)write(fd, block, MIB), (size_t)MIB));
	close(fd);
}

Test(disk, what_others_take_is_not_the_folders)
{
	pe_disk_open(&disk, folder, BOUND * MIB, 1000);
	fill(around, "theirs", 3 * BOUND);
	fill(folder, "ours", BOUND - 1);
	cr_expect(eq(int, pe_disk_look(&disk), PE_DISK_FINE));
}

/* What is seen of a folder that takes too much after somebody else gave back more than that. */
static enum pe_disk_state look_after_others_gave_back(void)
{
	enum pe_disk_state last;
	char path[128];

	fill(around, "theirs", 4 * BOUND);
	pe_disk_open(&disk, folder, BOUND * MIB, 1000);
	fill(folder, "ours", BOUND / 2 + 1);
	cr_expect(eq(int, pe_disk_look(&disk), PE_DISK_FINE));
	snprintf(path, sizeof(path), "%s/theirs", around);
	cr_assert(eq(int, unlink(path), 0));
	cr_expect(eq(int, pe_disk_look(&disk), PE_DISK_FINE));
	fill(folder, "more", BOUND / 2);
	last = pe_disk_look(&disk);
	pe_disk_close(&disk);
	snprintf(path, sizeof(path), "%s/more", folder);
	cr_assert(eq(int, unlink(path), 0));
	snprintf(path, sizeof(path), "%s/ours", folder);
	cr_assert(eq(int, unlink(path), 0));
	return last;
}

Test(disk, what_others_give_back_hides_nothing)
{
	const struct timespec pause = {.tv_nsec = 100 * 1000 * 1000};
	enum pe_disk_state seen = PE_DISK_FINE;

	/* Others may give back as much between the last two looks, for as long as a large folder is being removed. */
	for (int i = 0; i < 600 && seen == PE_DISK_FINE; i++) {
		if (i > 0)
			nanosleep(&pause, NULL);
		seen = look_after_others_gave_back();
	}
	cr_expect(eq(int, seen, PE_DISK_TAKEN));
}
