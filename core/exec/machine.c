#define _GNU_SOURCE /* realpath(3) */

#include "core/exec/machine.h"

#include "core/base/files.h"
#include "core/base/place.h"
#include "core/base/spawn.h"
#include "core/base/text.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

static char *first_line(const char *path, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (pe_text_read_file(&text, path, NULL) != PE_OK || text.len == 0)
		return NULL;
	return pe_arena_strndup(arena, text.data, strcspn(text.data, "\n"));
}

/* The value of the first "key : value" line of a /proc file. */
static char *proc_value(const char *path, const char *key, struct pe_arena *arena)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (pe_text_read_file(&text, path, NULL) != PE_OK)
		return NULL;
	for (const char *at = pe_text_str(&text); at != NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, strlen(key)) != 0)
			continue;
		at += strcspn(at, ":");
		at += strspn(at, ": \t");
		return pe_arena_strndup(arena, at, strcspn(at, "\n"));
	}
	return NULL;
}

/* "cc: the first line of its answer", if it is installed. False: what it is was not found out. */
static bool add_compiler(struct pe_text *out, const char *name)
{
	enum { MOST_BYTES = 256 };
	const char *const argv[] = {name, "--version", NULL};
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	pe_auto_text said = PE_TEXT_INIT;
	const struct pe_spawn_io io = {.output = &said, .output_bytes = MOST_BYTES};
	int status = 0;

	if (pe_spawn_run(&status, &spawn, &io, NULL) == PE_OK && said.len > 0)
		pe_text_addf(out, "%s: %.*s\n", name, (int)strcspn(said.data, "\n"), said.data);
	return status == 0 && said.len > 0;
}

/* A program that runs another one, which may be replaced behind its back. */
static bool is_launcher(const char *path, int fd)
{
	static const char *const names[] = {"ccache", "distcc", "icecc", "fastbuild"};
	char magic[4];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strstr(path, names[i]) != NULL)
			return true;
	return pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	       memcmp(magic, "\177ELF", sizeof(magic)) != 0;
}

/* Which file answers for a compiler, and when it was written. False: it is no compiler itself. */
static bool add_file(struct pe_text *out, const char *name, struct pe_arena *arena)
{
	const char *found = pe_place_on_path(name, arena);
	pe_auto_free char *path = found != NULL ? realpath(found, NULL) : NULL;
	pe_auto_fd fd = path != NULL ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	struct stat info;
	bool is_itself = fd >= 0 && fstat(fd, &info) == 0 && !is_launcher(path, fd);

	if (is_itself)
		pe_text_addf(out, "%s %s %ju %ju %ju %jd.%09ld %jd.%09ld\n", name, path,
			     (uintmax_t)info.st_dev, (uintmax_t)info.st_ino,
			     (uintmax_t)info.st_size, (intmax_t)info.st_mtim.tv_sec,
			     info.st_mtim.tv_nsec, (intmax_t)info.st_ctim.tv_sec,
			     info.st_ctim.tv_nsec);
	return is_itself || found == NULL;
}

static const char *const compiler_names[] = {"cc", "c++", "gcc", "clang"};

enum { N_COMPILERS = sizeof(compiler_names) / sizeof(compiler_names[0]) };

/* The files, as the first lines of what is remembered; NULL: nothing can be. */
static const char *name_files(const char *memory, struct pe_arena *arena)
{
	pe_auto_text files = PE_TEXT_INIT;
	bool known = memory != NULL;

	for (size_t i = 0; known && i < N_COMPILERS; i++)
		known = add_file(&files, compiler_names[i], arena);
	pe_text_addc(&files, '\n');
	return known ? pe_arena_strdup(arena, pe_text_str(&files)) : NULL;
}

/* Running clang for its version takes longer than all the rest of a command like `perfevo log`. */
static const char *identify_compilers(const char *memory, struct pe_arena *arena)
{
	const char *files = name_files(memory, arena);
	pe_auto_text old = PE_TEXT_INIT, text = PE_TEXT_INIT, whole = PE_TEXT_INIT;
	bool sure = true;

	if (files != NULL && pe_text_read_file(&old, memory, NULL) == PE_OK &&
	    strncmp(pe_text_str(&old), files, strlen(files)) == 0)
		return pe_arena_strdup(arena, old.data + strlen(files));
	for (size_t i = 0; i < N_COMPILERS; i++) {
		bool there = pe_place_on_path(compiler_names[i], arena) != NULL;

		sure = (add_compiler(&text, compiler_names[i]) || !there) && sure;
	}
	if (files != NULL && sure) {
		pe_text_addf(&whole, "%s%s", files, pe_text_str(&text));
		pe_text_write_file(&whole, memory, NULL);
	}
	return pe_arena_strdup(arena, pe_text_str(&text));
}

/* Of all but the name. */
static void hash_kind(struct pe_hash *hash, const struct pe_machine *machine)
{
	pe_hash_string(hash, machine->cpu);
	pe_hash_number(hash, machine->cores);
	/* What the firmware keeps for itself moves by some MiB from boot to boot: count whole GiB. */
	pe_hash_number(hash, (machine->memory_bytes + (1u << 29)) >> 30);
	pe_hash_string(hash, machine->kernel);
	pe_hash_string(hash, machine->compilers);
}

void pe_machine_identify(struct pe_machine *out, const char *memory, struct pe_arena *arena)
{
	struct utsname system;
	struct pe_hash hash;
	long cores = sysconf(_SC_NPROCESSORS_ONLN);
	long pages = sysconf(_SC_PHYS_PAGES);

	memset(&system, 0, sizeof(system));
	uname(&system);
	out->hostname = pe_arena_strdup(arena, system.nodename);
	out->cpu = proc_value("/proc/cpuinfo", "model name", arena);
	if (out->cpu == NULL)
		out->cpu = pe_arena_strdup(arena, system.machine);
	out->cores = cores > 0 ? (unsigned)cores : 1;
	out->memory_bytes = pages > 0 ? (uint64_t)pages * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
	out->kernel = pe_arena_printf(arena, "%s %s", system.sysname, system.release);
	out->compilers = identify_compilers(memory, arena);

	pe_hash_init(&hash);
	pe_hash_string(&hash, out->hostname);
	hash_kind(&hash, out);
	pe_hash_hex(&hash, out->fingerprint);
}

void pe_machine_as_class(struct pe_machine *machine)
{
	struct pe_hash hash;

	machine->hostname = "farm";
	pe_hash_init(&hash);
	/* A machine's has its name here: two strings are none. */
	pe_hash_string(&hash, "a class of machines");
	pe_hash_string(&hash, machine->hostname);
	hash_kind(&hash, machine);
	pe_hash_hex(&hash, machine->fingerprint);
}

/* intel_pstate has a flag for turbo off, the generic driver one for boost on. */
static const char *observe_turbo(struct pe_arena *arena)
{
	const char *no_turbo = first_line("/sys/devices/system/cpu/intel_pstate/no_turbo", arena);
	const char *boost = first_line("/sys/devices/system/cpu/cpufreq/boost", arena);

	if (no_turbo != NULL)
		return no_turbo[0] == '0' ? "on" : "off";
	if (boost != NULL)
		return boost[0] == '1' ? "on" : "off";
	return "unknown";
}

void pe_conditions_observe(struct pe_conditions *out, struct pe_arena *arena)
{
	const char *governor =
		first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", arena);
	const char *load = first_line("/proc/loadavg", arena);

	out->governor = governor != NULL ? governor : "unknown";
	out->turbo = observe_turbo(arena);
	out->load = load != NULL ? strtod(load, NULL) : 0;
}

const char *pe_machine_describe(const struct pe_machine *machine, struct pe_arena *arena)
{
	return pe_arena_printf(arena, "%s, %u cores, %llu GiB, %s", machine->cpu, machine->cores,
			       (unsigned long long)((machine->memory_bytes + (1u << 29)) >> 30),
			       machine->kernel);
}
