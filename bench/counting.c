/*
 * What libperfevo_calls.so left behind, for counting.sh:
 *
 *   tree DIR     one line a node: depth, calls, allocations, bytes, frees, name, site
 *   calls DIR    one line a method: name, calls
 *   facts DIR    nodes as collected, bytes of files, calls, allocations, frees, milliseconds to read all: by the
 *                clock, and of the processor
 */
#include "core/base/clock.h"
#include "analysis/profile/trace.h"
#include "probe/formats/trace.h"
#include "analysis/symbols/symbols.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

typedef unsigned long long ull;

/* Time of the clock and of the processor. */
struct spent {
	uint64_t wall_ns, cpu_ns;
};

static struct spent spent_so_far(void)
{
	struct timespec cpu;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	return (struct spent){
		.wall_ns = pe_clock_ns(),
		.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec,
	};
}

static void print_tree(const struct pe_cct *cct)
{
	for (uint32_t i = 1, depth = 0; i < cct->n; i++) {
		depth = 0;
		for (uint32_t at = cct->nodes[i].parent; at != 0; at = cct->nodes[at].parent)
			depth++;
		printf("%u %llu %llu %llu %llu %s %u\n", depth, (ull)cct->calls[i],
		       (ull)(cct->allocations != NULL ? cct->allocations[i] : 0),
		       (ull)(cct->allocated_bytes != NULL ? cct->allocated_bytes[i] : 0),
		       (ull)(cct->frees != NULL ? cct->frees[i] : 0), pe_cct_frame(cct, i)->name,
		       cct->nodes[i].site);
	}
}

static void print_calls(const struct pe_cct *cct)
{
	ull *calls = calloc(cct->frames->n, sizeof(*calls));

	for (uint32_t i = 1; calls != NULL && i < cct->n; i++)
		calls[cct->nodes[i].frame] += cct->calls[i];
	for (uint32_t f = 0; calls != NULL && f < cct->frames->n; f++)
		if (cct->frames->at[f].kind == PE_FRAME_METHOD && calls[f] > 0)
			printf("%s %llu\n", cct->frames->at[f].name, calls[f]);
	free(calls);
}

static ull file_bytes(const char *dir)
{
	DIR *entries = opendir(dir);
	struct dirent *entry;
	char path[4096];
	ull bytes = 0;

	while (entries != NULL && (entry = readdir(entries)) != NULL) {
		struct stat info;

		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		if (strstr(entry->d_name, PE_TRACE_SUFFIX) != NULL && stat(path, &info) == 0)
			bytes += (ull)info.st_size;
	}
	if (entries != NULL)
		closedir(entries);
	return bytes;
}

static void print_facts(const struct pe_cct *cct, const struct pe_trace_notes *notes,
			const char *dir, const struct spent *before, const struct spent *after)
{
	ull calls = 0, frees = 0;

	for (uint32_t i = 1; i < cct->n; i++) {
		if (pe_cct_frame(cct, i)->kind != PE_FRAME_PROCESS)
			calls += cct->calls[i];
		frees += cct->frees != NULL ? cct->frees[i] : 0;
	}
	printf("nodes %llu merged %u bytes %llu calls %llu allocations %llu frees %llu read_ms "
	       "%.1f read_cpu_ms %.1f\n",
	       (ull)notes->nodes, cct->n, file_bytes(dir), calls,
	       (ull)(cct->total_allocations != NULL ? cct->total_allocations[0] : 0), frees,
	       (double)(after->wall_ns - before->wall_ns) / 1e6,
	       (double)(after->cpu_ns - before->cpu_ns) / 1e6);
}

int main(int argc, char **argv)
{
	struct pe_arena arena = PE_ARENA_INIT;
	struct pe_frames frames = PE_FRAMES_INIT;
	struct pe_err err = PE_ERR_INIT;
	struct pe_symbols_db *db = NULL;
	struct pe_symbolizer symbolizer;
	struct pe_trace_notes notes;
	struct pe_cct *cct;
	struct spent before, after;
	int rc;

	if (argc != 3)
		return fprintf(stderr, "usage: %s tree|calls|facts DIR\n", argv[0]), 129;
	rc = pe_symbols_open(&db, NULL, NULL, &err);
	if (rc == PE_OK) {
		symbolizer = pe_symbols_symbolizer(db);
		before = spent_so_far();
		rc = pe_trace_read_dir(&cct, &notes, argv[2], &symbolizer, &frames, &arena, &err);
		after = spent_so_far();
	}
	if (rc == PE_OK && strcmp(argv[1], "tree") == 0)
		print_tree(cct);
	else if (rc == PE_OK && strcmp(argv[1], "calls") == 0)
		print_calls(cct);
	else if (rc == PE_OK)
		print_facts(cct, &notes, argv[2], &before, &after);
	else
		fprintf(stderr, "counting: %s\n", err.message);
	pe_symbols_close(db);
	pe_frames_release(&frames);
	pe_arena_release(&arena);
	return rc == PE_OK ? 0 : 128;
}
