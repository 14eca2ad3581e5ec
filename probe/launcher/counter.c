#include "probe/launcher/counter.h"

#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Room for one descriptor, aligned as cmsg(3) wants it. */
union handover {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int))];
};

static int open_event(bool on_exec)
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
		.enable_on_exec = on_exec,
	};

	return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

/* Some virtual machines open the event and never count: only a value proves that they do. */
static bool machine_counts(void)
{
	int fd = open_event(false);
	volatile unsigned spin = 0;
	uint64_t instructions = 0;
	bool counted;

	if (fd < 0)
		return false;
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	while (spin < 1000)
		spin = spin + 1;
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	counted = pe_counter_read(&instructions, fd) && instructions >= 1000;
	close(fd);
	return counted;
}

void pe_counter_open(struct pe_counter *counter)
{
	int pair[2];

	*counter = (struct pe_counter){.give = -1, .take = -1};
	if (!machine_counts() || socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair) != 0)
		return;
	counter->give = pair[0];
	counter->take = pair[1];
}

void pe_counter_close(struct pe_counter *counter)
{
	if (counter->give >= 0) {
		close(counter->give);
		close(counter->take);
	}
	*counter = (struct pe_counter){.give = -1, .take = -1};
}

bool pe_counter_works(const struct pe_counter *counter)
{
	return counter->give >= 0;
}

void pe_counter_give(const struct pe_counter *counter)
{
	char byte = 0;
	union handover control = {.bytes = {0}};
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	int fd = open_event(true);

	if (fd < 0)
		return;
	head->cmsg_level = SOL_SOCKET;
	head->cmsg_type = SCM_RIGHTS;
	head->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	sendmsg(counter->give, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
}

int pe_counter_take(const struct pe_counter *counter)
{
	char byte;
	union handover control = {.bytes = {0}};
	struct iovec data = {.iov_base = &byte, .iov_len = 1};
	struct msghdr message = {.msg_iov = &data,
				 .msg_iovlen = 1,
				 .msg_control = control.bytes,
				 .msg_controllen = sizeof(control.bytes)};
	struct cmsghdr *head;
	int fd = -1;

	if (recvmsg(counter->take, &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) < 0)
		return -1;
	head = CMSG_FIRSTHDR(&message);
	if (head != NULL && head->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(head), sizeof(fd));
	return fd;
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
