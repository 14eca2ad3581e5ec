#include "probe/launcher/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length)
{
	struct pe_wire_head head = {.kind = kind, .length = length, .run = run};
	char packet[sizeof(head) + 256];
	ssize_t sent;

	/* The launcher sends only short messages. */
	if (length > sizeof(packet) - sizeof(head))
		return false;
	memcpy(packet, &head, sizeof(head));
	memcpy(packet + sizeof(head), payload, length);
	do {
		sent = send(fd, packet, sizeof(head) + length, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)(sizeof(head) + length);
}

/* Receive one packet; its size, or 0 when there will be none. */
static size_t receive_packet(int fd, void *bytes, size_t size)
{
	ssize_t got;

	do {
		got = recv(fd, bytes, size, 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

/* Receive the packets with the rest of a payload that was too long for the first. */
static bool receive_rest(int fd, char *payload, size_t have, size_t length)
{
	while (have < length) {
		size_t got = receive_packet(fd, payload + have, length - have);

		if (got == 0)
			return false;
		have += got;
	}
	return true;
}

void pe_wire_close(int files[PE_WIRE_FILES])
{
	for (int i = 0; i < PE_WIRE_FILES; i++) {
		if (files[i] >= 0)
			close(files[i]);
		files[i] = -1;
	}
}

/* Receive the first packet of a message, with its open files. */
static size_t receive_first(int fd, void *bytes, size_t size, int files[PE_WIRE_FILES])
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(PE_WIRE_FILES * sizeof(int))];
	} control;
	struct iovec into = {.iov_base = bytes, .iov_len = size};
	struct msghdr message = {.msg_iov = &into,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	struct cmsghdr *head;
	ssize_t got;

	for (int i = 0; i < PE_WIRE_FILES; i++)
		files[i] = -1;
	do {
		got = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
	} while (got < 0 && errno == EINTR);
	head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
	if (head != NULL && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS)
		memcpy(files, CMSG_DATA(head), head->cmsg_len - CMSG_LEN(0));
	return got > 0 ? (size_t)got : 0;
}

bool pe_wire_receive(int fd, struct pe_wire_head *head, char **payload, int files[PE_WIRE_FILES])
{
	/* Static, not on the stack: only pages that are used add to our memory, and so to the peak. */
	static char packet[sizeof(*head) + PE_WIRE_PACKET];
	size_t got = receive_first(fd, packet, sizeof(packet), files);

	*payload = NULL;
	if (got < sizeof(*head))
		return false;
	memcpy(head, packet, sizeof(*head));
	got -= sizeof(*head);
	if (head->length > PE_WIRE_MAX || got > head->length)
		return false;
	if (head->length == 0)
		return true;
	*payload = malloc(head->length);
	if (*payload == NULL)
		return false;
	memcpy(*payload, packet + sizeof(*head), got);
	if (receive_rest(fd, *payload, got, head->length))
		return true;
	free(*payload);
	*payload = NULL;
	return false;
}

char *pe_wire_string(char **at, const char *end)
{
	char *string = *at;
	char *stop = string < end ? memchr(string, '\0', (size_t)(end - string)) : NULL;

	if (stop == NULL)
		return NULL;
	*at = stop + 1;
	return string;
}
