/*
 * Whether the dynamic loader would preload a library into a program: read from the first page of its file.
 */
#include "core/exec/alloc.h"

#include "core/base/files.h"
#include "probe/formats/machine.h"

#include <elf.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

/* A #! line may name a script in turn; the kernel follows four of them. */
enum { MAX_INTERPRETERS = 5, HEAD_BYTES = 64 * 1024 };

static bool not_countable(char *reason, size_t size, const char *why)
{
	snprintf(reason, size, "%s", why);
	return false;
}

/* The program loader that an ELF file asks for: "" for none, which is what makes it static. */
static void find_loader(char *loader, size_t size, const char *head, size_t n)
{
	Elf64_Ehdr header;

	*loader = '\0';
	memcpy(&header, head, sizeof(header));
	for (unsigned i = 0; i < header.e_phnum; i++) {
		uint64_t at = header.e_phoff + (uint64_t)i * header.e_phentsize;
		Elf64_Phdr segment;

		if (at > n - sizeof(segment))
			return;
		memcpy(&segment, head + at, sizeof(segment));
		if (segment.p_type != PT_INTERP)
			continue;
		if (segment.p_offset < n && segment.p_filesz <= n - segment.p_offset)
			snprintf(loader, size, "%.*s", (int)segment.p_filesz,
				 head + segment.p_offset);
		else
			snprintf(loader, size, "?"); /* far away in the file, but there */
		return;
	}
}

static bool elf_countable(const char *head, size_t n, char *reason, size_t size)
{
	char loader[PATH_MAX];
	Elf64_Ehdr header;

	if (n < sizeof(header) || head[EI_CLASS] != ELFCLASS64)
		return not_countable(reason, size, "it is made for another word size than perfevo");
	memcpy(&header, head, sizeof(header));
#ifdef PE_MACHINE_ELF
	if (header.e_machine != PE_MACHINE_ELF)
		return not_countable(reason, size, "it is made for another processor than perfevo");
#endif
	find_loader(loader, sizeof(loader), head, n);
	if (*loader == '\0')
		return not_countable(reason, size, "it is statically linked");
#ifdef __GLIBC__
	if (strstr(loader, "musl") != NULL)
		return not_countable(reason, size, "it uses another C library than perfevo (musl)");
#endif
	return true;
}

/* The interpreter of a #! line; "" when there is none. */
static void find_interpreter(char *interpreter, size_t size, const char *head, size_t n)
{
	size_t at = 2, length;
	char line[PATH_MAX];

	snprintf(line, sizeof(line), "%.*s", (int)(n < sizeof(line) ? n : sizeof(line) - 1), head);
	at += strspn(line + at, " \t");
	length = strcspn(line + at, " \t\r\n");
	snprintf(interpreter, size, "%.*s", (int)length, line + at);
}

/* The loader ignores preloading in programs that run with more rights than their user's. */
static bool has_rights(int fd)
{
	struct stat file;

	if (fstat(fd, &file) != 0)
		return false;
	return (file.st_mode & (S_ISUID | S_ISGID)) != 0 ||
	       fgetxattr(fd, "security.capability", NULL, 0) > 0;
}

static bool file_countable(const char *path, int depth, char *reason, size_t size)
{
	static const char elf_magic[] = {0x7f, 'E', 'L', 'F'};
	pe_auto_free char *head = pe_realloc(NULL, HEAD_BYTES, 1);
	pe_auto_fd fd = pe_files_open_found(path, 0);
	ssize_t n = fd >= 0 ? read(fd, head, HEAD_BYTES) : -1;
	bool countable = true;

	if (n >= (ssize_t)sizeof(elf_magic) && memcmp(head, elf_magic, sizeof(elf_magic)) == 0) {
		if (has_rights(fd))
			countable = not_countable(reason, size,
						  "it is setuid, setgid or has capabilities");
		else
			countable = elf_countable(head, (size_t)n, reason, size);
	} else if (n > 2 && head[0] == '#' && head[1] == '!' && depth < MAX_INTERPRETERS) {
		char interpreter[PATH_MAX];

		find_interpreter(interpreter, sizeof(interpreter), head, (size_t)n);
		countable = file_countable(interpreter, depth + 1, reason, size);
	}
	return countable;
}

bool pe_alloc_countable(const char *path, char *reason, size_t size)
{
	return file_countable(path, 0, reason, size);
}
