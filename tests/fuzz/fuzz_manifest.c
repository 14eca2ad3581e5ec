/* The manifest of a filled folder: its own first line, or this one's too, and rows that builds may have written. */
#include "core/base/clock.h"
#include "require.h"
#include "vcs/manifest.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define REVISION "1111111111111111111111111111111111111111"

static char folder[] = "/dev/shm/perfevo-fuzz.XXXXXX";
static char tree[64], path[64], first[256];

static void prepare(void)
{
	char boot[PE_BOOT_ID];

	if (mkdtemp(folder) == NULL)
		abort();
	pe_clock_boot(boot);
	snprintf(tree, sizeof(tree), "%s/tree", folder);
	snprintf(path, sizeof(path), "%s/tree.manifest", folder);
	snprintf(first, sizeof(first), "perfevo manifest 3 %s %s here ", boot, REVISION);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct pe_fill_spec spec = {.dir = tree, .trusted = folder, .have = REVISION};
	struct pe_manifest manifest;
	size_t bytes = 0;
	int fd;

	if (first[0] == '\0')
		prepare();
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, first, strlen(first)) < 0 || write(fd, data, size) < 0)
		abort();
	close(fd);
	if (pe_manifest_load(&manifest, &spec, "here")) {
		for (size_t i = 0; i < manifest.tree.rows.n; i++) {
			require(i == 0 || strcmp(manifest.tree.rows.data[i - 1].path,
						 manifest.tree.rows.data[i].path) < 0,
				"rows are sorted");
			bytes += strlen(manifest.tree.rows.data[i].path);
		}
		require(bytes < size, "paths lie in the file");
		pe_tree_release(&manifest.tree);
	}
	return 0;
}
