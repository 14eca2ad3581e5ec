#include "analysis/symbols/table.h"

#include "core/base/search.h"
#include "core/base/sort.h"
#include "core/base/vec.h"

#include <stdlib.h>
#include <string.h>

typedef PE_VEC(struct pe_table_symbol) symbol_list;

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
		struct pe_table_symbol symbol = {.start = sym.st_value};

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
				    (struct pe_table_symbol){.start = header.sh_addr,
							     .end = header.sh_addr + header.sh_size,
							     .name = sections[0],
							     .rank = STUB_RANK});
}

PE_SORT_BY(by_place, struct pe_table_symbol, start, rank, name);

/* Of several at one address the first stays; what has no size reaches to the next one, within its section. */
static size_t settle(struct pe_table_symbol *at, size_t n, const struct pe_symbols_file *file)
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

void pe_symbol_table_read(struct pe_symbol_table *out, const struct pe_symbols_file *file)
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

void pe_symbol_table_release(struct pe_symbol_table *table)
{
	free(table->at);
	*table = (struct pe_symbol_table){0};
}

const struct pe_table_symbol *pe_symbol_table_find(const struct pe_symbol_table *table,
						   uint64_t address)
{
	size_t at = 0;

	pe_search(at, table->n, i, table->at[i].start <= address);
	return at > 0 && address < table->at[at - 1].end ? &table->at[at - 1] : NULL;
}
