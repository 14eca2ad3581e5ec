#include "launcher/wire.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

bool pe_wire_send(int fd, enum pe_wire_kind kind, uint64_t run, const void *payload,
		  uint32_t length)
{
	struct pe_wire_head head = {.kind = kind, .length = length, .run = run};
	char packet[sizeof(head) + 256];
	ssize_t sent;

	/* The launcher only says short things. */
	if (length > sizeof(packet) - sizeof(head))
		return false;
	memcpy(packet, &head, sizeof(head));
	memcpy(packet + sizeof(head), payload, length);
	do {
		sent = send(fd, packet, sizeof(head) + length, MSG_NOSIGNAL);
	} while (sent < 0 && errno == EINTR);
	return sent == (ssize_t)(sizeof(head) + length);
}

/* One packet; its size, or 0 when there will be none. */
static size_t receive_packet(int fd, void *bytes, size_t size)
{
	ssize_t got;

	do {
		got = recv(fd, bytes, size, 0);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? (size_t)got : 0;
}

/* The packets that bring what the first one had no room for. */
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

bool pe_wire_receive(int fd, struct pe_wire_head *head, char **payload)
{
	/* Not on the stack: only the pages that are used become part of our memory, and so of the peak. */
	static char packet[sizeof(*head) + PE_WIRE_PACKET];
	size_t got = receive_packet(fd, packet, sizeof(packet));

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
