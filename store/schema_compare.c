/*
 * Comparing: what the scripts make is made in memory, and both lists are walked side by side. Texts are compared
 * as SQLite reads them: ALTER TABLE quotes names, and comments are ours to change.
 */
#include "store/schema.h"

#include <ctype.h>
#include <string.h>

/* One row of sqlite_schema. */
struct object {
	const char *type, *name;
	const char *sql; /* its words */
};

struct objects {
	struct object *at;
	size_t n;
};

static bool in_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* The end of what a quote opens; doubled quotes stand for themselves. */
static const char *past_quote(const char *c)
{
	char close = *c == '[' ? ']' : *c;

	for (c++; *c != '\0'; c++)
		if (*c == close && *++c != close)
			return c;
	return c;
}

static const char *past_space(const char *c)
{
	const char *end;

	for (;;) {
		while (isspace((unsigned char)*c))
			c++;
		if (strncmp(c, "--", 2) == 0)
			c += strcspn(c, "\n");
		else if (strncmp(c, "/*", 2) == 0)
			c = (end = strstr(c + 2, "*/")) != NULL ? end + 2 : strchr(c, '\0');
		else
			return c;
	}
}

/* Quotes that ALTER TABLE puts about a name that needs none; only of those, "a b" is one name and a b are two. */
static bool is_plain_name(const char *quoted, size_t n)
{
	if (*quoted != '"' || n < 3 || isdigit((unsigned char)quoted[1]))
		return false;
	for (size_t i = 1; i < n - 1; i++)
		if (!in_word(quoted[i]))
			return false;
	return true;
}

/* The words of a statement, a space between them. */
static char *normal(const char *sql, struct pe_arena *arena)
{
	pe_auto_text out = PE_TEXT_INIT;

	for (const char *c = past_space(sql), *end; *c != '\0'; c = past_space(end)) {
		if (strchr("\"'`[", *c) != NULL)
			end = past_quote(c);
		else
			for (end = c + 1; in_word(*c) && in_word(*end);)
				end++;
		if (is_plain_name(c, (size_t)(end - c)))
			pe_text_addn(&out, c + 1, (size_t)(end - c) - 2);
		else
			pe_text_addn(&out, c, (size_t)(end - c));
		pe_text_addc(&out, ' ');
	}
	return pe_arena_strndup(arena, pe_text_str(&out), out.len);
}

/*
 * Tables that SQLite keeps for itself are left out where they are as it makes them: which of them are there
 * depends on whether ANALYZE ran. More rows than any version has are not read.
 */
static int list(struct objects *out, struct pe_store *store, struct pe_arena *arena,
		struct pe_err *err)
{
	PE_TRY(pe_sql_rows(&out->at, &out->n, store,
			   "SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL AND"
			   " sql NOT IN ('CREATE TABLE sqlite_sequence(name,seq)',"
			   " 'CREATE TABLE sqlite_stat1(tbl,idx,stat)',"
			   " 'CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample)')"
			   " ORDER BY type, name LIMIT 1000",
			   NULL, PE_ROW(struct object, type, name, sql), arena, err));
	for (size_t i = 0; i < out->n; i++)
		out->at[i].sql = normal(out->at[i].sql, arena);
	return PE_OK;
}

/* The store that the scripts make, in memory. */
static int list_expected(struct objects *out, const struct pe_schema *schema,
			 struct pe_arena *arena, struct pe_err *err)
{
	struct pe_store made = {.path = (char[]){":memory:"}};
	int rc = PE_OK;

	if (sqlite3_open_v2(made.path, &made.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY,
			    NULL) != SQLITE_OK)
		pe_out_of_memory(sizeof(made));
	rc = pe_schema_migrate(&made, schema, err);
	if (rc == PE_OK)
		rc = list(out, &made, arena, err);
	pe_sql_disconnect(&made);
	return rc;
}

static int order(const struct object *a, const struct object *b)
{
	int type = strcmp(a->type, b->type);

	return type != 0 ? type : strcmp(a->name, b->name);
}

static int compare(const struct objects *found, const struct objects *expected, const char *path,
		   struct pe_err *err)
{
	static const char way_out[] =
		"this is not the work of perfevo and may mislead it: restore the file from a backup, or move it away and measure again";
	size_t i = 0, j = 0;

	while (i < found->n || j < expected->n) {
		int which = i == found->n      ? 1
			    : j == expected->n ? -1
					       : order(&found->at[i], &expected->at[j]);

		if (which < 0)
			return pe_fail(err, PE_ESTORE, "%s has a %s '%s' of its own; %s", path,
				       found->at[i].type, found->at[i].name, way_out);
		if (which > 0)
			return pe_fail(err, PE_ESTORE, "%s lacks its %s '%s'; %s", path,
				       expected->at[j].type, expected->at[j].name, way_out);
		if (strcmp(found->at[i].sql, expected->at[j].sql) != 0)
			return pe_fail(err, PE_ESTORE, "%s has another %s '%s'; %s", path,
				       found->at[i].type, found->at[i].name, way_out);
		i++;
		j++;
	}
	return PE_OK;
}

int pe_schema_compare(struct pe_store *store, const struct pe_schema *schema, struct pe_err *err)
{
	pe_auto_arena arena = PE_ARENA_INIT;
	struct objects found, expected;

	PE_TRY(list(&found, store, &arena, err));
	PE_TRY(list_expected(&expected, schema, &arena, err));
	return compare(&found, &expected, store->path, err);
}
