/*
 * What reaches beyond files: a connection to another process or machine. What libc connects to on its own behalf (names of
 * hosts and users) is not seen, and answers alike for all commits.
 */
#include "probe/runtime/touch.h"

#include "probe/runtime/alloc.h"

#include <errno.h>
#include <sys/socket.h>

#define FUNCTIONS(X) X(connect)

PE_PASS_ON(FUNCTIONS)

int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	int error = errno;

	resolve();
	pe_touch_connected();
	errno = error;
	return next.connect(fd, address, size);
}
