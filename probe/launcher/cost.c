#include "probe/launcher/cost.h"

#include "probe/launcher/descriptor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int pe_counter_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_HARDWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_HW_INSTRUCTIONS,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.enable_on_exec = 1,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

bool pe_counter_works(void)
{
	pe_auto_fd fd = pe_counter_open();
	volatile unsigned spin = 0;
	uint64_t instructions = 0;

	if (fd < 0)
		return false;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (spin < 1000)
		spin = spin + 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	return pe_counter_read(&instructions, fd) && instructions >= 1000;
}

bool pe_counter_read(uint64_t *out, int fd)
{
	struct {
		uint64_t value, enabled, running;
	} count;

	if (fd < 0 || read(fd, &count, sizeof(count)) != (ssize_t)sizeof(count))
		return false;
	if (count.running == 0 || count.running < count.enabled)
		return false;
	*out = count.value;
	return true;
}

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
