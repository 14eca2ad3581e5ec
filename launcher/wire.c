#include "launcher/wire.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

static bool send_bytes(int fd, const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t sent = send(fd, bytes, n, MSG_NOSIGNAL);

		if (sent < 0 && errno == EINTR)
			continue;
		if (sent <= 0)
			return false;
		bytes += sent;
		n -= (size_t)sent;
	}
	return true;
}

bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length)
{
	struct pe_wire_head head = {.kind = kind, .length = length, .run = run};
	char message[sizeof(head) + 256];

	/* The launcher only says short things: in one piece they wake the other end once. */
	if (length > sizeof(message) - sizeof(head))
		return false;
	memcpy(message, &head, sizeof(head));
	memcpy(message + sizeof(head), payload, length);
	return send_bytes(fd, message, sizeof(head) + length);
}

bool pe_wire_receive(int fd, void *bytes, size_t n)
{
	char *at = bytes;

	while (n > 0) {
		ssize_t got = recv(fd, at, n, MSG_WAITALL);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		at += got;
		n -= (size_t)got;
	}
	return true;
}
