/* A benchmark for cJSON: parse and print one document (the first argument) so often (the second). */
#include "cJSON.h"

#include <stdio.h>
#include <stdlib.h>

static char *read_all(const char *path)
{
	FILE *file = fopen(path, "rb");
	char *text = NULL;
	size_t n = 0, got;

	if (file == NULL)
		return NULL;
	do {
		text = realloc(text, n + 65537);
		got = text != NULL ? fread(text + n, 1, 65536, file) : 0;
		n += got;
	} while (got > 0);
	fclose(file);
	if (text != NULL)
		text[n] = '\0';
	return text;
}

int main(int argc, char **argv)
{
	char *text = argc == 3 ? read_all(argv[1]) : NULL;

	for (int i = text != NULL ? atoi(argv[2]) : 0; i > 0; i--) {
		cJSON *json = cJSON_Parse(text);
		char *printed = cJSON_Print(json);

		if (printed == NULL)
			return 1;
		free(printed);
		cJSON_Delete(json);
	}
	free(text);
	return text == NULL;
}
