#include "probe/launcher/bytes.h"

#include "probe/launcher/descriptor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

void pe_bytes_add(struct pe_proc_cost *cost, pid_t pid)
{
	uint64_t read_bytes = 0, written_bytes = 0;
	char path[64], text[512];
	ssize_t n = 0;
	pe_auto_fd fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/io", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	if (sscanf(text, "rchar: %" SCNu64 " wchar: %" SCNu64, &read_bytes, &written_bytes) != 2)
		cost->has_bytes = false;
	cost->read_bytes += read_bytes;
	cost->written_bytes += written_bytes;
}
