/*
 * The modules of the addresses so far, each with three sources of names: scopes of the debug information, the symbol table,
 * and the bounds of functions in the unwind tables. A method is described once.
 */
#define _XOPEN_SOURCE 700 /* realpath() */
#include "analysis/symbols/symbols.h"

#include "core/base/inside.h"
#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/text.h"
#include "core/base/vec.h"
#include "analysis/symbols/names.h"
#include "analysis/symbols/paths.h"
#include "analysis/symbols/scopes.h"

#include <dwarf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- Table: the functions that a file's symbol tables name, for where there is no debug information --- */

struct table_symbol {
	uint64_t start, end;
	const char *name; /* as in the file, borrowed from it */
	unsigned rank;    /* of several at one address the lowest is kept */
};

struct table {
	struct table_symbol *at; /* by address; no two begin at the same */
	size_t n;
	bool has_symbols; /* more than stubs */
};

typedef PE_VEC(struct table_symbol) symbol_list;

enum { STUB_RANK = 24, LABEL_RANK = 32 }; /* behind those of rank_of() */

/* What others may call comes first, and of that the name that looks least like an inner one. */
static unsigned rank_of(const GElf_Sym *sym, const char *name)
{
	const unsigned binding = GELF_ST_BIND(sym->st_info);
	const size_t underscores = strspn(name, "_");
	const unsigned rank = binding == STB_GLOBAL ? 0 : binding == STB_WEAK ? 1 : 2;

	/* _Z and _R begin the mangled names of C++ and Rust */
	if (underscores == 1 && (name[1] == 'Z' || name[1] == 'R'))
		return rank * 8;
	return rank * 8 + (underscores < 7 ? (unsigned)underscores : 7);
}

static bool is_function(const GElf_Sym *sym, const struct pe_symbols_file *file)
{
	const unsigned type = GELF_ST_TYPE(sym->st_info);

	return sym->st_shndx != SHN_UNDEF && sym->st_name != 0 &&
	       (type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE) &&
	       pe_symbols_file_is_code(file, sym->st_value);
}

/* Read a table of symbols by its name. False: it has no functions. */
static bool read_symbols(symbol_list *symbols, const struct pe_symbols_file *file, Elf *elf,
			 const char *name)
{
	GElf_Shdr header;
	GElf_Sym sym;
	Elf_Data *data = elf != NULL ? pe_elf_section(elf, name, &header) : NULL;

	for (int i = 0; data != NULL && gelf_getsym(data, i, &sym) != NULL; i++) {
		struct table_symbol symbol = {.start = sym.st_value};

		if (!is_function(&sym, file))
			continue;
		symbol.name = elf_strptr(elf, header.sh_link, sym.st_name);
		/* '$' begins mapping symbols of ARM; ".L" local labels */
		if (symbol.name == NULL || symbol.name[0] == '\0' || symbol.name[0] == '$' ||
		    strncmp(symbol.name, ".L", 2) == 0)
			continue;
		symbol.end = sym.st_value + sym.st_size;
		if (symbol.end < symbol.start)
			continue;
		/* One without a size is a label. */
		symbol.rank = rank_of(&sym, symbol.name) + (sym.st_size == 0 ? LABEL_RANK : 0);
		pe_vec_push(symbols, symbol);
	}
	return symbols->n > 0;
}

/* All stubs that lead into other modules are one function. */
static void add_stubs(symbol_list *symbols, Elf *elf)
{
	static const char *const sections[] = {".plt", ".plt.sec", ".plt.got"};
	GElf_Shdr header;

	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++)
		if (pe_elf_section(elf, sections[i], &header) != NULL)
			pe_vec_push(symbols,
				    (struct table_symbol){.start = header.sh_addr,
							  .end = header.sh_addr + header.sh_size,
							  .name = sections[0],
							  .rank = STUB_RANK});
}

PE_SORT_BY(by_place, struct table_symbol, start, rank, name);

/* Of several at one address the first stays; what has no size reaches to the next one, within its section. */
static size_t settle(struct table_symbol *at, size_t n, const struct pe_symbols_file *file)
{
	size_t kept = 0, range = 0;

	for (size_t i = 0; i < n; i++)
		if (kept == 0 || at[kept - 1].start != at[i].start)
			at[kept++] = at[i];
	for (size_t i = 0; i < kept; i++) {
		while (range < file->n_code && file->code[range].end <= at[i].start)
			range++;
		if (at[i].end != at[i].start)
			continue;
		at[i].end = range < file->n_code ? file->code[range].end : at[i].start;
		if (i + 1 < kept && at[i + 1].start < at[i].end)
			at[i].end = at[i + 1].start;
	}
	return kept;
}

/* Read .symtab of the module or of its separate file, else .dynsym. Owned by the caller. */
static void table_read(struct table *out, const struct pe_symbols_file *file)
{
	symbol_list symbols = {0};

	if (!read_symbols(&symbols, file, file->module.elf, ".symtab") &&
	    !read_symbols(&symbols, file, file->debug.elf, ".symtab"))
		read_symbols(&symbols, file, file->module.elf, ".dynsym");
	out->has_symbols = symbols.n > 0;
	add_stubs(&symbols, file->module.elf);
	pe_sort(symbols.data, symbols.n, by_place);
	out->at = symbols.data;
	out->n = settle(symbols.data, symbols.n, file);
}

static void table_release(struct table *table)
{
	free(table->at);
	*table = (struct table){0};
}

/* The function at an address; NULL: none. */
static const struct table_symbol *table_find(const struct table *table, uint64_t address)
{
	size_t at = 0;

	pe_search(at, table->n, i, table->at[i].start <= address);
	return at > 0 && address < table->at[at - 1].end ? &table->at[at - 1] : NULL;
}

/* --- Modules --- */

/* Calls inlined into each other; compilers stop below a hundred. */
enum { MOST_INLINED = 256 };

/* What a description is of: the key in `described`. */
enum subject {
	ENTRY,
	SYMBOL,
	UNKNOWN
}; /* an entry in memory; the address of a symbol; one without a symbol */

struct module {
	/* The caller's path; the path here. */
	const char *asked_path;
	const char *path, *name, *build_id;
	enum pe_symbols_state state;
	struct pe_symbols_file file;
	struct pe_scopes scopes;
	struct table table;
	struct pe_names names;
	Dwarf_CFI *unwind;
	bool unwind_asked;
	PE_VEC(struct pe_frame) frames;
	struct pe_map described; /* numbers of frames, by address and enum subject */
	uint64_t asked, unnamed;
};

struct pe_symbols_db {
	struct pe_arena arena;
	const char *trees[2], *sysroot;
	PE_VEC(struct module *) modules;
	PE_VEC(struct pe_symbols_module) shown;
	struct module *last;
	struct pe_symbol symbols[MOST_INLINED];
};

/* The frame of a subject. True: it is new, and to be filled. */
static bool add_frame(struct pe_frame **out, struct module *module, uint64_t address,
		      enum subject subject)
{
	bool is_new;
	const uint32_t number = *pe_map_put(&module->described, address, subject,
					    (uint32_t)module->frames.n, &is_new);

	if (is_new)
		pe_vec_push(&module->frames, (struct pe_frame){.module = module->name});
	*out = &module->frames.data[number];
	return is_new;
}

static const struct pe_frame *frame_of_scope(struct module *module, struct pe_scope *scope)
{
	Dwarf_Die die = pe_scope_die(scope);
	struct pe_frame *frame;

	if (scope->subject == NULL)
		scope->subject = pe_names_subject(&die);
	if (add_frame(&frame, module, (uint64_t)(uintptr_t)scope->subject, ENTRY))
		pe_names_describe(frame, &module->names, &die, module->name);
	return frame;
}

/* @param unit  whose code it is, when there are lines for it; PE_SCOPE_NONE */
static const struct pe_frame *frame_of_symbol(struct module *module,
					      const struct table_symbol *symbol, uint32_t unit)
{
	pe_auto_text name = PE_TEXT_INIT, signature = PE_TEXT_INIT;
	struct pe_arena *arena = module->names.arena;
	struct pe_frame *frame;

	if (!add_frame(&frame, module, symbol->start, SYMBOL))
		return frame;
	if (unit != PE_SCOPE_NONE)
		frame->component = pe_paths_unit(&module->names, module->scopes.at[unit].unit);
	if (frame->component == NULL)
		frame->component = module->name;
	pe_names_split(&name, &signature, symbol->name);
	frame->name = pe_arena_strdup(arena, pe_text_str(&name));
	frame->signature = pe_arena_strdup(arena, pe_text_str(&signature));
	return frame;
}

static uint32_t line_at(Dwarf_CU *cu, uint64_t address)
{
	Dwarf_Die unit;
	Dwarf_Line *line;
	int number = 0;

	if (dwarf_cu_die(cu, &unit, NULL, NULL, NULL, NULL, NULL, NULL) == NULL)
		return 0;
	line = dwarf_getsrc_die(&unit, address);
	return line != NULL && dwarf_lineno(line, &number) == 0 && number > 0 ? (uint32_t)number
									      : 0;
}

static uint32_t call_line(const struct pe_scope *scope)
{
	Dwarf_Die die = pe_scope_die(scope);
	Dwarf_Attribute attribute;
	Dwarf_Word line;

	if (dwarf_attr(&die, DW_AT_call_line, &attribute) == NULL ||
	    dwarf_formudata(&attribute, &line) != 0 || line > UINT32_MAX)
		return 0;
	return (uint32_t)line;
}

/* "ns::Thing::~Thing" */
static bool is_destructor(const char *name)
{
	const char *tilde = strrchr(name, '~');

	return tilde != NULL && (tilde == name || tilde[-1] == ':') && strchr(tilde, ':') == NULL;
}

/*
 * A part of a function that is inlined into another part of it is that function: the destructor that also frees
 * holds a copy of the one that does not, and gcc splits functions. Such a split call has the line of the
 * definition; so calls of a function that was inlined into itself for its recursion stay apart.
 */
static bool is_fragment(const struct pe_symbol *inner, const struct pe_frame *outer, uint32_t line)
{
	return strcmp(inner->frame.name, outer->name) == 0 &&
	       (line == outer->line || is_destructor(outer->name)) &&
	       strcmp(inner->frame.signature, outer->signature) == 0 &&
	       strcmp(inner->frame.component, outer->component) == 0;
}

/* From the innermost scope outwards: an inlined call's line is where in its caller it stands. */
static size_t resolve_scopes(struct pe_symbols_db *db, struct module *module, uint32_t number,
			     uint64_t address)
{
	uint32_t line = line_at(module->scopes.at[number].unit, address);
	size_t n = 0;

	while (number != PE_SCOPE_NONE && n < MOST_INLINED) {
		struct pe_scope *scope = &module->scopes.at[number];
		const struct pe_frame *frame = frame_of_scope(module, scope);

		if (n == 0 || !is_fragment(&db->symbols[n - 1], frame, line))
			db->symbols[n++] = (struct pe_symbol){*frame, line};
		line = scope->parent != PE_SCOPE_NONE ? call_line(scope) : 0;
		number = scope->parent;
	}
	return n;
}

/* Where the function around an address begins, as the unwind tables have it; the address where they have not. */
static uint64_t begin_of(struct module *module, uint64_t address)
{
	Dwarf_Frame *frame;
	Dwarf_Addr start, end;

	if (!module->unwind_asked) {
		module->unwind_asked = true;
		if (module->file.module.elf != NULL)
			module->unwind = dwarf_getcfi_elf(module->file.module.elf);
	}
	if (module->unwind == NULL || dwarf_cfi_addrframe(module->unwind, address, &frame) != 0)
		return address;
	if (dwarf_frame_info(frame, &start, &end, NULL) < 0 || start > address)
		start = address;
	free(frame);
	return start;
}

static const struct pe_frame *frame_of_unknown(struct module *module, uint64_t address)
{
	const uint64_t start = begin_of(module, address);
	struct pe_frame *frame;

	module->unnamed++;
	if (add_frame(&frame, module, start, UNKNOWN)) {
		frame->name = pe_arena_printf(module->names.arena, "%s+0x%llx", module->name,
					      (unsigned long long)start);
		frame->signature = "";
		frame->component = module->name;
		frame->kind = PE_FRAME_UNKNOWN;
	}
	return frame;
}

/* Open a module and read its tables; a file that is gone or was replaced has none. */
static void open_module(struct pe_symbols_db *db, struct module *module)
{
	module->state = PE_SYMBOLS_GONE;
	if (!pe_symbols_file_open(&module->file, module->path, db->sysroot, &db->arena))
		return;
	if (module->build_id[0] != '\0' && strcmp(module->build_id, module->file.build_id) != 0) {
		module->state = PE_SYMBOLS_CHANGED;
		pe_symbols_file_close(&module->file);
		return;
	}
	pe_scopes_read(&module->scopes, &module->file);
	table_read(&module->table, &module->file);
	module->state = module->scopes.n > 0        ? PE_SYMBOLS_DEBUG
			: module->table.has_symbols ? PE_SYMBOLS_TABLE
						    : PE_SYMBOLS_NONE;
}

static bool is_module(const struct module *module, const struct pe_module *asked)
{
	return strcmp(module->asked_path, asked->path != NULL ? asked->path : "") == 0 &&
	       strcmp(module->build_id, asked->build_id != NULL ? asked->build_id : "") == 0;
}

static struct module *module_of(struct pe_symbols_db *db, const struct pe_module *asked)
{
	struct module *module;

	if (db->last != NULL && is_module(db->last, asked))
		return db->last;
	for (size_t i = 0; i < db->modules.n; i++)
		if (is_module(db->modules.data[i], asked))
			return db->last = db->modules.data[i];
	module = pe_arena_new(&db->arena, struct module, 1);
	module->asked_path = pe_arena_strdup(&db->arena, asked->path != NULL ? asked->path : "");
	module->path = pe_inside_file(module->asked_path, db->trees[0], &db->arena);
	module->build_id =
		pe_arena_strdup(&db->arena, asked->build_id != NULL ? asked->build_id : "");
	module->name = pe_path_name(module->asked_path);
	if (module->name[0] == '\0')
		module->name = "[unknown]";
	module->names = (struct pe_names){.arena = &db->arena,
					  .trees = {db->trees[0], db->trees[1]},
					  .scopes = &module->scopes};
	open_module(db, module);
	pe_vec_push(&db->modules, module);
	return db->last = module;
}

/* A folder without the slashes at its end; NULL stays NULL. */
static const char *without_slash(struct pe_symbols_db *db, const char *folder)
{
	size_t n = folder != NULL ? strlen(folder) : 0;

	while (n > 1 && folder[n - 1] == '/')
		n--;
	return folder != NULL ? pe_arena_strndup(&db->arena, folder, n) : NULL;
}

/* Find the methods at an address, as db->symbols. Return their number, which is 1 at least. */
static size_t resolve_in(struct pe_symbols_db *db, struct module *module, uint64_t address)
{
	const uint32_t scope = pe_scopes_find(&module->scopes, address);
	const struct table_symbol *symbol;

	if (scope != PE_SCOPE_NONE && !module->scopes.at[scope].is_unit)
		return resolve_scopes(db, module, scope, address);
	symbol = table_find(&module->table, address);
	db->symbols[0].line =
		scope != PE_SCOPE_NONE ? line_at(module->scopes.at[scope].unit, address) : 0;
	db->symbols[0].frame = symbol != NULL ? *frame_of_symbol(module, symbol, scope)
					      : *frame_of_unknown(module, address);
	return 1;
}

static int resolve(struct pe_symbols *out, const struct pe_module *asked, uint64_t address,
		   void *payload, struct pe_err *err)
{
	struct pe_symbols_db *db = payload;
	struct module *module = module_of(db, asked);

	(void)err;
	module->asked++;
	*out = (struct pe_symbols){db->symbols, resolve_in(db, module, address)};
	return PE_OK;
}

void pe_symbols_small(struct pe_symbols_db *db, uint64_t bytes,
		      void (*take)(const struct pe_frame *frame, void *payload), void *payload)
{
	for (size_t m = 0; m < db->modules.n; m++) {
		struct module *module = db->modules.data[m];

		for (size_t i = 0; i < module->table.n; i++) {
			const struct table_symbol *one = &module->table.at[i];
			size_t n;

			if (one->rank >= STUB_RANK || one->end - one->start >= bytes)
				continue;
			n = resolve_in(db, module, one->start);
			take(&db->symbols[n - 1].frame, payload);
		}
	}
}

int pe_symbols_open(struct pe_symbols_db **out, const char *tree, const char *sysroot,
		    struct pe_err *err)
{
	struct pe_symbols_db *db = pe_realloc(NULL, 1, sizeof(*db));
	char *resolved = tree != NULL ? realpath(tree, NULL) : NULL;

	*out = NULL;
	*db = (struct pe_symbols_db){0};
	if (tree != NULL && resolved == NULL && errno != ENOENT && errno != ENOTDIR) {
		free(db);
		return pe_fail_errno(err, "%s", tree);
	}
	db->trees[0] = without_slash(db, tree);
	db->trees[1] = without_slash(db, resolved);
	db->sysroot = sysroot != NULL ? without_slash(db, sysroot) : "";
	free(resolved);
	*out = db;
	return PE_OK;
}

struct pe_symbolizer pe_symbols_symbolizer(struct pe_symbols_db *db)
{
	return (struct pe_symbolizer){resolve, db};
}

const struct pe_symbols_module *pe_symbols_modules(struct pe_symbols_db *db, size_t *n)
{
	db->shown.n = 0;
	for (size_t i = 0; i < db->modules.n; i++) {
		const struct module *module = db->modules.data[i];

		pe_vec_push(&db->shown, (struct pe_symbols_module){module->path, module->state,
								   module->asked, module->unnamed});
	}
	*n = db->shown.n;
	return db->shown.data;
}

static void close_module(struct module *module)
{
	if (module->unwind != NULL)
		dwarf_cfi_end(module->unwind);
	pe_scopes_release(&module->scopes);
	table_release(&module->table);
	pe_symbols_file_close(&module->file);
	pe_vec_release(&module->frames);
	pe_map_release(&module->described);
}

void pe_symbols_close(struct pe_symbols_db *db)
{
	if (db == NULL)
		return;
	for (size_t i = 0; i < db->modules.n; i++)
		close_module(db->modules.data[i]);
	pe_vec_release(&db->modules);
	pe_vec_release(&db->shown);
	pe_arena_release(&db->arena);
	free(db);
}
