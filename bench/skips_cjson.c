/*
 * Twenty benchmarks of cJSON for bench/skips.sh: each calls a few of its functions, as the names say.
 *
 *   skips_cjson NAME
 */
#include "cJSON.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
	"{\"name\": \"a \\u00e4 b\", \"list\": [1, 2.5, -3e7, true, false, null, \"x\"],"
	" \"nested\": {\"a\": {\"b\": {\"c\": [[], {}, [1]]}}}, \"last\": 12345.678}";

static cJSON *root;
static volatile double sum;

static void parse(void)
{
	cJSON_Delete(cJSON_Parse(text));
}
static void parse_number(void)
{
	cJSON_Delete(cJSON_Parse("12345.678e-3"));
}
static void parse_string(void)
{
	cJSON_Delete(cJSON_Parse("\"plain and \\n \\u00e4\""));
}
static void parse_fails(void)
{
	cJSON_Delete(cJSON_Parse("{\"a\": [1, 2"));
}
static void print(void)
{
	free(cJSON_Print(root));
}
static void print_unformatted(void)
{
	free(cJSON_PrintUnformatted(root));
}

static void print_buffered(void)
{
	free(cJSON_PrintBuffered(root, 64, 1));
}

static void print_preallocated(void)
{
	char buffer[1000];

	sum += cJSON_PrintPreallocated(root, buffer, sizeof(buffer), 0);
}

static void minify(void)
{
	char copy[sizeof(text)];

	memcpy(copy, text, sizeof(text));
	cJSON_Minify(copy);
	sum += copy[0];
}

static void duplicate(void)
{
	cJSON_Delete(cJSON_Duplicate(root, 1));
}
static void compare(void)
{
	sum += cJSON_Compare(root, root, 1);
}
static void compare_caseless(void)
{
	sum += cJSON_Compare(root, root, 0);
}
static void get_item(void)
{
	sum += cJSON_GetObjectItem(root, "LAST") != NULL;
}
static void get_item_exactly(void)
{
	sum += cJSON_GetObjectItemCaseSensitive(root, "last") != NULL;
}
static void array_size(void)
{
	sum += cJSON_GetArraySize(root);
}
static void array_item(void)
{
	sum += cJSON_GetArrayItem(root, 2) != NULL;
}

static void numbers(void)
{
	const double values[] = {1, 2, 3};

	cJSON_Delete(cJSON_CreateDoubleArray(values, 3));
}

static void build(void)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddItemToObject(object, "a", cJSON_CreateNumber(7));
	cJSON_AddStringToObject(object, "b", "text");
	cJSON_Delete(object);
}

static void replace(void)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddItemToObject(object, "a", cJSON_CreateTrue());
	cJSON_ReplaceItemInObject(object, "a", cJSON_CreateNull());
	cJSON_DeleteItemFromObject(object, "a");
	cJSON_Delete(object);
}

static void insert(void)
{
	cJSON *array = cJSON_CreateArray();

	cJSON_AddItemToArray(array, cJSON_CreateFalse());
	cJSON_InsertItemInArray(array, 0, cJSON_CreateString("x"));
	cJSON_Delete(cJSON_DetachItemFromArray(array, 1));
	cJSON_Delete(array);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{"parse", parse},
	{"parse-number", parse_number},
	{"parse-string", parse_string},
	{"parse-fails", parse_fails},
	{"print", print},
	{"print-unformatted", print_unformatted},
	{"print-buffered", print_buffered},
	{"print-preallocated", print_preallocated},
	{"minify", minify},
	{"duplicate", duplicate},
	{"compare", compare},
	{"compare-caseless", compare_caseless},
	{"get-item", get_item},
	{"get-item-exactly", get_item_exactly},
	{"array-size", array_size},
	{"array-item", array_item},
	{"numbers", numbers},
	{"build", build},
	{"replace", replace},
	{"insert", insert},
};

int main(int argc, char **argv)
{
	/* What the others do beside their own calls: nothing but the tree that they look into. */
	if (argc != 2)
		return 2;
	if (strncmp(argv[1], "parse", 5) != 0 && strcmp(argv[1], "minify") != 0)
		root = cJSON_Parse(text);
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strcmp(argv[1], all[i].name) == 0) {
			for (int k = 0; k < 200; k++)
				all[i].run();
			cJSON_Delete(root);
			return 0;
		}
	return 2;
}
