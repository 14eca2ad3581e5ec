/* A benchmark for Wren: run a script (the first argument). */
#include "wren.h"

#include <stdio.h>
#include <stdlib.h>

static void write_out(WrenVM *vm, const char *text)
{
	(void)vm;
	fputs(text, stdout);
}

static void write_error(WrenVM *vm, WrenErrorType type, const char *module, int line,
			const char *message)
{
	(void)vm, (void)type;
	fprintf(stderr, "%s:%d: %s\n", module != NULL ? module : "", line, message);
}

int main(int argc, char **argv)
{
	static char script[1 << 16];
	FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
	WrenConfiguration config;
	WrenInterpretResult result;
	WrenVM *vm;

	if (file == NULL)
		return 1;
	script[fread(script, 1, sizeof(script) - 1, file)] = '\0';
	fclose(file);
	wrenInitConfiguration(&config);
	config.writeFn = write_out;
	config.errorFn = write_error;
	vm = wrenNewVM(&config);
	result = wrenInterpret(vm, "main", script);
	wrenFreeVM(vm);
	return result != WREN_RESULT_SUCCESS;
}
