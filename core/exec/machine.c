#include "core/exec/machine.h"

#include "core/base/spawn.h"
#include "core/base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static char *first_line(const char *path, struct pe_arena *arena)
{
	struct pe_text text = PE_TEXT_INIT;
	char *line = NULL;

	if (pe_text_read_file(&text, path, NULL) == PE_OK && text.len > 0)
		line = pe_arena_strndup(arena, text.data, strcspn(text.data, "\n"));
	pe_text_release(&text);
	return line;
}

/* The value of the first "key : value" line of a /proc file. */
static char *proc_value(const char *path, const char *key, struct pe_arena *arena)
{
	struct pe_text text = PE_TEXT_INIT;
	char *value = NULL;
	const char *at;

	if (pe_text_read_file(&text, path, NULL) != PE_OK)
		goto done;
	for (at = pe_text_str(&text); at != NULL && value == NULL; at = strchr(at, '\n')) {
		at += *at == '\n';
		if (strncmp(at, key, strlen(key)) == 0) {
			at += strcspn(at, ":");
			at += strspn(at, ": \t");
			value = pe_arena_strndup(arena, at, strcspn(at, "\n"));
		}
	}
done:
	pe_text_release(&text);
	return value;
}

static void add_compiler(struct pe_text *out, const char *name)
{
	enum { MOST_BYTES = 256 };
	const char *const argv[] = {name, "--version", NULL};
	const struct pe_spawn spawn = {.argv = argv, .in = -1, .out = -1, .err = -1, .hand = -1};
	struct pe_text said = PE_TEXT_INIT;
	const struct pe_spawn_io io = {.output = &said, .output_bytes = MOST_BYTES};
	int status;

	if (pe_spawn_run(&status, &spawn, &io, NULL) == PE_OK && said.len > 0)
		pe_text_addf(out, "%s: %.*s\n", name, (int)strcspn(said.data, "\n"), said.data);
	pe_text_release(&said);
}

static const char *identify_compilers(struct pe_arena *arena)
{
	static const char *const names[] = {"cc", "c++", "gcc", "clang"};
	struct pe_text text = PE_TEXT_INIT;
	const char *compilers;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_compiler(&text, names[i]);
	compilers = pe_arena_strdup(arena, pe_text_str(&text));
	pe_text_release(&text);
	return compilers;
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

void pe_machine_identify(struct pe_machine *out, struct pe_arena *arena)
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
	out->compilers = identify_compilers(arena);

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

/* intel_pstate says when turbo is off, the generic driver when boost is on. */
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
