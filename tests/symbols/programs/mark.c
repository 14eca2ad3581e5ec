#define _GNU_SOURCE
#include "mark.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

struct place {
	uintptr_t address, bias;
	char path[4096];
};

static int find(struct dl_phdr_info *info, size_t size, void *payload)
{
	struct place *place = payload;

	(void)size;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t start = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr;

		if (info->dlpi_phdr[i].p_type != PT_LOAD || place->address < start ||
		    place->address - start >= info->dlpi_phdr[i].p_memsz)
			continue;
		place->bias = info->dlpi_addr;
		if (info->dlpi_name[0] != '\0')
			snprintf(place->path, sizeof(place->path), "%s", info->dlpi_name);
		else if (readlink("/proc/self/exe", place->path, sizeof(place->path) - 1) < 0)
			return 0;
		return 1;
	}
	return 0;
}

void mark(const char *tag)
{
	struct place place = {.address = (uintptr_t)__builtin_return_address(0) - 1};

	dl_iterate_phdr(find, &place);
	printf("%s %s %lx %lx\n", tag, place.path, (unsigned long)place.bias,
	       (unsigned long)(place.address - place.bias));
	fflush(stdout);
}
