#include "core/exec/program_size.h"

#include "core/base/files.h"

#include <elf.h>
#include <string.h>
#include <unistd.h>

/* Linkers put the table of segments behind the header. */
enum { HEAD_BYTES = 4096 };

/* No file is larger: sums of what headers claim do not overflow. */
static const uint64_t MOST_BYTES = UINT64_C(1) << 48;

static bool is_own(const Elf64_Ehdr *header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_phentsize >= sizeof(Elf64_Phdr);
}

bool pe_program_size_parse(struct pe_program_size *out, const void *head, size_t n)
{
	Elf64_Ehdr header;

	*out = (struct pe_program_size){0};
	if (n < sizeof(header))
		return false;
	memcpy(&header, head, sizeof(header));
	if (!is_own(&header) || header.e_phoff > n ||
	    (n - header.e_phoff) / header.e_phentsize < header.e_phnum)
		return false;
	for (unsigned i = 0; i < header.e_phnum; i++) {
		Elf64_Phdr segment;

		memcpy(&segment,
		       (const char *)head + header.e_phoff + (size_t)i * header.e_phentsize,
		       sizeof(segment));
		if (segment.p_type != PT_LOAD)
			continue;
		if (segment.p_filesz > MOST_BYTES || segment.p_memsz > MOST_BYTES)
			return false;
		if ((segment.p_flags & PF_W) != 0)
			out->data_bytes += segment.p_memsz;
		else
			out->text_bytes += segment.p_filesz;
	}
	return out->text_bytes > 0;
}

bool pe_program_size_of(struct pe_program_size *out, const char *path)
{
	_Alignas(Elf64_Ehdr) char head[HEAD_BYTES];
	ssize_t n;
	pe_auto_fd fd = pe_files_open_found(path, 0);

	if (fd < 0)
		return false;
	n = pread(fd, head, sizeof(head), 0);
	return n > 0 && pe_program_size_parse(out, head, (size_t)n);
}
