/*
 * Module: a program or library in memory, as the dynamic loader's _dl_find_object() describes it (glibc 2.35; for older ones
 * cmake/portable/old_glibc.c). It takes no lock, so that a handler may call it.
 */
#pragma once

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

/** Find the build id in the notes of a module. @return  its bytes; 0: it has none, or one that is longer than `most` */
static inline uint32_t pe_module_build_id(uint8_t *out, size_t most,
					  const struct dl_find_object *found)
{
	const char *start = found->dlfo_map_start, *end = found->dlfo_map_end;
	const ElfW(Ehdr) *elf = found->dlfo_map_start;
	const ElfW(Phdr) * segment;

	if (end - start < 4096 || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf->e_phoff + (size_t)elf->e_phnum * sizeof(*segment) > 4096)
		return 0;
	segment = (const void *)(start + elf->e_phoff);
	for (size_t i = 0; i < elf->e_phnum; i++) {
		const char *at = (const char *)found->dlfo_link_map->l_addr + segment[i].p_vaddr;
		const char *stop = at + segment[i].p_memsz;

		if (segment[i].p_type != PT_NOTE || at < start || stop > end)
			continue;
		while (stop - at >= (ptrdiff_t)sizeof(ElfW(Nhdr))) {
			const ElfW(Nhdr) *note = (const void *)at;
			const char *name = at + sizeof(*note);
			const char *id = name + (note->n_namesz + 3) / 4 * 4;

			at = id + (note->n_descsz + 3) / 4 * 4;
			if (at > stop || note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 ||
			    memcmp(name, "GNU", 4) != 0 || note->n_descsz > most)
				continue;
			memcpy(out, id, note->n_descsz);
			return note->n_descsz;
		}
	}
	return 0;
}

/**
 * The path of a module; the loader has relative ones where the search path has them. They are of the folder where the program
 * was started; it may have changed its folder since, unseen.
 *
 * @param program  path of the program, which has no name in the loader
 * @return         its length without the terminator
 */
static inline size_t pe_module_path(char *out, size_t size, const struct dl_find_object *found,
				    const char *program)
{
	const char *given = found->dlfo_link_map->l_name;
	size_t n = 0, rest;

	if (*given == '\0')
		given = program;
	if (*given != '/' && strchr(given, '/') != NULL && getcwd(out, size / 2) != NULL) {
		n = strlen(out);
		out[n++] = '/';
	}
	rest = strnlen(given, size - n - 1);
	memcpy(out + n, given, rest);
	out[n + rest] = '\0';
	return n + rest;
}
