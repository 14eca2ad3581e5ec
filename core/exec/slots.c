#include "core/exec/slots.h"

#include "core/base/text.h"
#include "core/base/files.h"
#include "core/base/walk.h"
#include "core/exec/ports.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Left free on the file system, whatever the budget: other programs use it, too. */
static const uint64_t SPARE_BYTES = 512u << 20;

/* The assumed size of a build that was never measured. */
static const uint64_t UNKNOWN_BYTES = 1u << 30;

static const char STATE[] = "state";

/* The slot's own folder, which holds its state and its tree. */
static int open_slot(const struct pe_slot *slot, bool make)
{
	return pe_files_open_below(slot->trusted, slot->dir, make);
}

/* What a build may hold of its place: a hash of the slot's folder; "-" where commands saw the tree at one path. */
static void place_of(char place[PE_HASH_HEX], const struct pe_slot *slot, bool one_path)
{
	struct pe_hash hash;

	pe_hash_init(&hash);
	pe_hash_string(&hash, slot->dir);
	pe_hash_hex(&hash, place);
	if (one_path)
		strcpy(place, "-");
}

/* "6 <id> <recipe or -> <bytes> <build_ns> <boot> <place> <list or ->\n": one line, so that half of it never reads as a whole. */
static void read_state(struct pe_slot *slot, int dir)
{
	pe_auto_text text = PE_TEXT_INIT;
	char id[PE_OID_HEX], recipe[PE_HASH_HEX], list[PE_OID_HEX], boot[PE_BOOT_ID], end;
	char place[PE_HASH_HEX], here[PE_HASH_HEX];
	uint64_t bytes, build_ns;
	bool one_path;

	if (dir < 0 || pe_files_read_at(&text, dir, STATE) != 0 ||
	    sscanf(pe_text_str(&text),
		   "6 %40[0-9a-f] %32[0-9a-f-] %" SCNu64 " %" SCNu64
		   " %36[0-9a-f-] %32[0-9a-f-] %40[0-9a-f-]%c",
		   id, recipe, &bytes, &build_ns, boot, place, list, &end) != 8 ||
	    end != '\n')
		return;
	one_path = strcmp(place, "-") == 0;
	place_of(here, slot, one_path);
	/* A cache that was moved or copied: its builds may name files where they were made. */
	if (strcmp(place, here) != 0)
		return;
	slot->one_path = one_path;
	memcpy(slot->id, id, sizeof(id));
	memcpy(slot->boot, boot, sizeof(boot));
	if (recipe[0] != '-')
		memcpy(slot->recipe, recipe, sizeof(recipe));
	if (list[0] != '-')
		memcpy(slot->list, list, sizeof(list));
	slot->bytes = bytes;
	slot->build_ns = build_ns;
}

static void take_up(struct pe_slot *slot)
{
	pe_auto_fd dir = open_slot(slot, false);

	read_state(slot, dir);
	if (dir >= 0)
		pe_files_remove_parts(dir);
}

static void add_state(struct pe_text *text, const struct pe_slot *slot)
{
	char place[PE_HASH_HEX];

	place_of(place, slot, slot->one_path);
	pe_text_addf(text, "6 %s %s %" PRIu64 " %" PRIu64 " %s %s %s\n", slot->id,
		     slot->recipe[0] != '\0' ? slot->recipe : "-", slot->bytes, slot->build_ns,
		     slot->boot, place, slot->list[0] != '\0' ? slot->list : "-");
}

/* The array moves when it grows: callers hold slots by pointer, so room for all of them is made at once. */
static struct pe_slot *add_slot(struct pe_slots *slots, unsigned number)
{
	struct pe_slot *slot = &slots->at[slots->n++];

	slot->dir = pe_arena_printf(slots->arena, "%s/%04u", slots->root, number);
	slot->tree = pe_arena_printf(slots->arena, "%s/tree", slot->dir);
	slot->trusted = slots->root;
	return slot;
}

static bool slot_number(const char *name, unsigned *number)
{
	if (strlen(name) != 4 || strspn(name, "0123456789") != 4)
		return false;
	*number = (unsigned)strtoul(name, NULL, 10);
	return true;
}

int pe_slots_open(struct pe_slots *out, const char *root, uint64_t budget_bytes,
		  struct pe_arena *arena, struct pe_err *err)
{
	const char **names;
	unsigned number;

	PE_TRY(pe_files_make_dir(root, err));
	*out = (struct pe_slots){.root = pe_arena_strdup(arena, root),
				 .budget_bytes = budget_bytes,
				 .at = pe_arena_new(arena, struct pe_slot, PE_SLOTS_MAX),
				 .capacity = PE_SLOTS_MAX,
				 .arena = arena};
	names = pe_walk_names_of(root, arena);
	if (names == NULL)
		return pe_fail_errno(err, "cannot read %s", root);
	for (; *names != NULL; names++)
		if (slot_number(*names, &number) && out->n < out->capacity)
			take_up(add_slot(out, number));
	return PE_OK;
}

struct pe_slot *pe_slots_find(struct pe_slots *slots, const char *id, const char *recipe)
{
	for (size_t i = 0; i < slots->n; i++)
		if (strcmp(slots->at[i].id, id) == 0 && strcmp(slots->at[i].recipe, recipe) == 0)
			return &slots->at[i];
	return NULL;
}

/* A number for the revision that a tree of a slot holds, by the slot's state. 0: it is not known */
static uint64_t holder_of(const char *tree)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	const char *end = tree != NULL ? strrchr(tree, '/') : NULL;
	struct pe_slot slot = {0};
	uint64_t holder = 0;
	pe_auto_fd dir = -1;

	if (end == NULL)
		return 0;
	slot.dir = pe_arena_strndup(&arena, tree, (size_t)(end - tree));
	end = strrchr(slot.dir, '/');
	if (end == NULL)
		return 0;
	slot.trusted = pe_arena_strndup(&arena, slot.dir, (size_t)(end - slot.dir));
	dir = open_slot(&slot, false);
	read_state(&slot, dir);
	return sscanf(slot.id, "%16" SCNx64, &holder) == 1 ? holder : 0;
}

static int run(struct pe_proc_result *out, const struct pe_proc_spec *spec, void *payload,
	       struct pe_err *err)
{
	struct pe_proc_spec held = *spec;

	held.holder = holder_of(spec->places[0]);
	return pe_launcher_run(out, payload, &held, err);
}

struct pe_executor pe_process_executor(struct pe_launcher *launcher)
{
	return (struct pe_executor){.run = run, .payload = launcher};
}

uint64_t pe_slots_bytes(const struct pe_slots *slots)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < slots->n; i++)
		bytes += slots->at[i].bytes;
	return bytes;
}

/* What one more build may take: as much as the largest so far. */
static uint64_t likely_bytes(const struct pe_slots *slots)
{
	uint64_t most = 0;

	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].bytes > most)
			most = slots->at[i].bytes;
	return most;
}

/* What the builds that are at work may still take. */
static uint64_t bytes_to_come(const struct pe_slots *slots, uint64_t each)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < slots->n; i++)
		if (slots->at[i].building && slots->at[i].bytes < each)
			bytes += each - slots->at[i].bytes;
	return bytes;
}

static bool has_room(const struct pe_slots *slots)
{
	uint64_t more = likely_bytes(slots);
	uint64_t coming = bytes_to_come(slots, more > 0 ? more : UNKNOWN_BYTES);

	if (slots->n == 0)
		return true;
	/* Beside a first build of unknown size there may be others of that kind. */
	if (more == 0 && coming > 0)
		more = UNKNOWN_BYTES;
	return slots->n < slots->capacity &&
	       pe_slots_bytes(slots) + coming + more <= slots->budget_bytes &&
	       pe_files_free(slots->root) > SPARE_BYTES + coming + more;
}

static unsigned free_number(const struct pe_slots *slots)
{
	/* Sorted by name when opened and only ever appended to: the first gap, else the end. */
	for (unsigned number = 0;; number++) {
		bool taken = false;

		for (size_t i = 0; i < slots->n && !taken; i++)
			taken = strtoul(slots->at[i].dir + strlen(slots->root) + 1, NULL, 10) ==
				number;
		if (!taken)
			return number;
	}
}

struct pe_slot *pe_slots_take(struct pe_slots *slots)
{
	struct pe_slot *oldest = NULL;

	for (size_t i = 0; i < slots->n; i++) {
		struct pe_slot *slot = &slots->at[i];

		if (slot->held)
			continue;
		/* One that holds nothing built loses nothing. */
		if (slot->recipe[0] == '\0')
			return slot;
		if (oldest == NULL || slot->used < oldest->used)
			oldest = slot;
	}
	if (has_room(slots))
		return add_slot(slots, free_number(slots));
	return oldest;
}

void pe_slots_touch(struct pe_slots *slots, struct pe_slot *slot)
{
	slot->used = ++slots->uses;
}

void pe_slots_release(struct pe_slots *slots)
{
	for (size_t i = 0; i < slots->n; i++)
		slots->at[i].held = false;
}

int pe_slot_forget(struct pe_slot *slot, struct pe_err *err)
{
	pe_auto_fd dir = open_slot(slot, true);
	size_t removed = 0;

	slot->recipe[0] = slot->list[0] = '\0';
	slot->build_ns = 0;
	if (dir < 0)
		return pe_fail_errno(err, "cannot make the folder %s", slot->dir);
	if (pe_files_remove_at(dir, STATE, &removed) != 0)
		return pe_fail_errno(err, "cannot remove %s/%s", slot->dir, STATE);
	return PE_OK;
}

bool pe_slot_is_of_this_boot(const struct pe_slot *slot)
{
	char now[PE_BOOT_ID];

	pe_clock_boot(now);
	return strcmp(slot->boot, now) == 0;
}

int pe_slot_write_state(const struct pe_slot *slot, struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;
	pe_auto_fd dir = open_slot(slot, true);

	add_state(&text, slot);
	return dir >= 0 && pe_files_write_at(&text, dir, STATE, 0600) == 0
		       ? PE_OK
		       : pe_fail_errno(err, "cannot write %s/%s", slot->dir, STATE);
}

int pe_slot_remember(struct pe_slot *slot, const char *id, const char *recipe, struct pe_err *err)
{
	struct pe_slot whole = *slot;
	int rc;

	whole.bytes = pe_files_size(slot->dir);
	pe_clock_boot(whole.boot);
	snprintf(whole.id, sizeof(whole.id), "%s", id);
	snprintf(whole.recipe, sizeof(whole.recipe), "%s", recipe != NULL ? recipe : "");
	rc = pe_slot_write_state(&whole, err);
	if (rc == PE_OK)
		*slot = whole;
	else
		slot->bytes = whole.bytes;
	return rc;
}

static const struct pe_slot *find_dir(const struct pe_slots *slots, const char *dir)
{
	for (size_t i = 0; i < slots->n; i++)
		if (strcmp(slots->at[i].dir, dir) == 0)
			return &slots->at[i];
	return NULL;
}

/* What a slot's state reads as, should be, and is put back to where the two differ. */
static int restore(const struct pe_slot *known, const struct pe_slot *seen, struct pe_err *err)
{
	struct pe_slot empty = *seen;

	if (known != NULL && known->id[0] != '\0') {
		if (strcmp(known->id, seen->id) == 0 && strcmp(known->recipe, seen->recipe) == 0 &&
		    strcmp(known->list, seen->list) == 0 && strcmp(known->boot, seen->boot) == 0)
			return PE_OK;
		return pe_slot_write_state(known, err);
	}
	return pe_slot_forget(&empty, err);
}

int pe_slots_restore(const struct pe_slots *slots, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct pe_slots now;

	if (slots->root == NULL)
		return PE_OK;
	PE_TRY(pe_slots_open(&now, slots->root, slots->budget_bytes, &arena, err));
	for (size_t i = 0; i < now.n; i++)
		PE_TRY(restore(find_dir(slots, now.at[i].dir), &now.at[i], err));
	return PE_OK;
}
