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

static cJSON *object_of(cJSON *value)
{
	cJSON *object = cJSON_CreateObject();

	cJSON_AddItemToObject(object, "a", value);
	return object;
}

static void replace(void)
{
	cJSON *object = object_of(cJSON_CreateTrue());

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

static void build(void)
{
	cJSON *object = object_of(cJSON_CreateNumber(7));

	cJSON_AddStringToObject(object, "b", "text");
	cJSON_Delete(object);
}

/* The benchmarks by name, an expression each. */
#define BENCHMARKS(is)                                                                             \
	is("parse", cJSON_Delete(cJSON_Parse(text))) is(                                           \
		"parse-number",                                                                    \
		cJSON_Delete(                                                                      \
			cJSON_Parse("12345.678e-3"))) is("parse-string",                           \
							 cJSON_Delete(cJSON_Parse(                 \
								 "\"plain and \\n \\u00e4\"")))    \
		is("parse-fails", cJSON_Delete(cJSON_Parse("{\"a\": [1, 2"))) is(                  \
			"print", free(cJSON_Print(root))) is("print-unformatted",                  \
							     free(cJSON_PrintUnformatted(root)))   \
			is("print-buffered", free(cJSON_PrintBuffered(root, 64, 1))) is(           \
				"print-preallocated",                                              \
				sum += cJSON_PrintPreallocated(                                    \
					root, buffer, sizeof(buffer),                              \
					0)) is("minify", (memcpy(buffer, text, sizeof(text)),      \
							  cJSON_Minify(buffer)))                   \
				is("duplicate", cJSON_Delete(cJSON_Duplicate(root, 1))) is(        \
					"compare",                                                 \
					sum += cJSON_Compare(root, root,                           \
							     1)) is("compare-caseless",            \
								    sum +=                         \
								    cJSON_Compare(root, root, 0))  \
					is("get-item",                                             \
					   sum +=                                                  \
					   cJSON_GetObjectItem(root, "LAST") !=                    \
					   NULL) is("get-item-exactly",                            \
						    sum +=                                         \
						    cJSON_GetObjectItemCaseSensitive(root,         \
										     "last") !=    \
						    NULL) is("array-size",                         \
							     sum += cJSON_GetArraySize(root))      \
						is("array-item",                                   \
						   sum += cJSON_GetArrayItem(root, 2) != NULL)     \
							is("numbers",                              \
							   cJSON_Delete(cJSON_CreateDoubleArray(   \
								   numbers, 3)))                   \
								is("build", build()) is("replace", \
											replace()) \
									is("insert", insert())

#define RUN(benchmark, call)                                                                       \
	if (strcmp(argv[1], benchmark) == 0)                                                       \
		for (left = 200; left > 0; left--)                                                 \
			call;

int main(int argc, char **argv)
{
	static const double numbers[] = {1, 2, 3};
	static char buffer[1000];
	int left = -1;

	/* What the others do beside their own calls: nothing but the tree that they look into. */
	if (argc != 2)
		return 2;
	if (strncmp(argv[1], "parse", 5) != 0 && strcmp(argv[1], "minify") != 0)
		root = cJSON_Parse(text);
	BENCHMARKS(RUN)
	cJSON_Delete(root);
	return left == 0 ? 0 : 2;
}
