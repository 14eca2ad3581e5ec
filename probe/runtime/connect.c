/*
 * What reaches beyond files: a connection to another process or machine, and System V objects. What libc connects to on its own behalf (names of
 * hosts and users) is not seen, and answers alike for all commits.
 */
#include "probe/runtime/touch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>

/* The argument of connect(2) is a union of pointers where the C library makes it one. */
static void touch_address(enum pe_path_kind kind, const void *argument, socklen_t size)
{
	const struct sockaddr *address;
	const struct sockaddr_un *local;
	char name[sizeof(local->sun_path) + 32];
	unsigned port = 0;

	memcpy(&address, argument, sizeof(address));
	if (!pe_touch_wanted() || address == NULL || size < sizeof(sa_family_t))
		return;
	if (address->sa_family == AF_UNIX && size > offsetof(struct sockaddr_un, sun_path)) {
		const bool is_abstract = ((const struct sockaddr_un *)address)->sun_path[0] == '\0';

		local = (const struct sockaddr_un *)address;
		snprintf(name, sizeof(name), PE_PATHS_SOCKET "%s%.*s", is_abstract ? "@" : "",
			 (int)(size - offsetof(struct sockaddr_un, sun_path)) - is_abstract,
			 local->sun_path + is_abstract);
		pe_touch_path(kind, pe_touch_now(), AT_FDCWD, name);
		return;
	}
	if (address->sa_family == AF_INET && size >= sizeof(struct sockaddr_in))
		port = ntohs(((const struct sockaddr_in *)address)->sin_port);
	else if (address->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6))
		port = ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
	if (port == 0)
		return;
	snprintf(name, sizeof(name), PE_PATHS_SOCKET "%u", port);
	pe_touch_path(kind, pe_touch_now(), AT_FDCWD, name);
}

PE_PUBLIC int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	int error = errno;

	pe_touch_connected();
	touch_address(PE_PATH_READ, &address, size);
	errno = error;
	return PE_NEXT(connect)(fd, address, size);
}

/* The port that the kernel chose is only known after the call. */
PE_PUBLIC int bind(int fd, __CONST_SOCKADDR_ARG address, socklen_t size)
{
	struct sockaddr_storage chosen;
	socklen_t chosen_size = sizeof(chosen);
	int rc, error;

	rc = PE_NEXT(bind)(fd, address, size);
	error = errno;
	if (rc == 0 && pe_touch_wanted() &&
	    getsockname(fd, (struct sockaddr *)&chosen, &chosen_size) == 0) {
		const struct sockaddr *at = (const struct sockaddr *)&chosen;

		touch_address(PE_PATH_MADE, &at, chosen_size);
	}
	errno = error;
	return rc;
}

static void touch_object(bool was_there, int flags, key_t key)
{
	const int error = errno;
	char name[64];

	if (key == IPC_PRIVATE || !pe_touch_wanted())
		return;
	snprintf(name, sizeof(name), PE_PATHS_IPC "0x%08x", (unsigned)key);
	pe_touch_path((flags & IPC_CREAT) != 0 && !was_there ? PE_PATH_MADE : PE_PATH_READ,
		      pe_touch_now(), AT_FDCWD, name);
	errno = error;
}

/* @param looks  the arguments of a call that finds an object and makes none */
#define FINDS_OBJECT(name, parameters, arguments, looks)                                           \
	PE_PUBLIC int name parameters                                                              \
	{                                                                                          \
		const bool was_there = PE_NEXT(name) looks >= 0;                                   \
                                                                                                   \
		touch_object(was_there, flags, key);                                               \
		return PE_NEXT(name) arguments;                                                    \
	}

FINDS_OBJECT(shmget, (key_t key, size_t size, int flags), (key, size, flags), (key, 0, 0))
FINDS_OBJECT(semget, (key_t key, int n, int flags), (key, n, flags), (key, 0, 0))
FINDS_OBJECT(msgget, (key_t key, int flags), (key, flags), (key, 0))

PE_PUBLIC mqd_t mq_open(const char *name, int flags, ...)
{
	struct mq_attr *attributes = NULL;
	char path[NAME_MAX + 64];
	mode_t mode = 0;
	va_list rest;
	mqd_t queue;
	int error;

	va_start(rest, flags);
	if ((flags & O_CREAT) != 0) {
		mode = va_arg(rest, mode_t);
		attributes = va_arg(rest, struct mq_attr *);
	}
	va_end(rest);
	queue = PE_NEXT(mq_open)(name, flags & ~(O_CREAT | O_EXCL));
	error = errno;
	if (pe_touch_wanted()) {
		snprintf(path, sizeof(path), PE_PATHS_IPC "%s", name + (*name == '/'));
		pe_touch_path(queue == (mqd_t)-1 ? PE_PATH_MADE : PE_PATH_READ, pe_touch_now(),
			      AT_FDCWD, path);
	}
	errno = error;
	if (queue != (mqd_t)-1 && (flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL)) {
		mq_close(queue);
		errno = EEXIST;
		return (mqd_t)-1;
	}
	return queue != (mqd_t)-1 || (flags & O_CREAT) == 0
		       ? queue
		       : PE_NEXT(mq_open)(name, flags, mode, attributes);
}
