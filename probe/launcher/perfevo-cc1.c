/*
 * A wrapper of build tools. gcc's driver looks for its compilers cc1 and cc1plus and its linker collect2 in
 * COMPILER_PATH first, and so does a driver that a project's build calls by any name: links to this program under
 * these names add the flags that perfevo needs to such builds, without changes to the project.
 *
 * The flags are in PERFEVO_CC1_FLAGS, a line each. Calls that only read a source (preprocessing, dependencies,
 * -S, -fsyntax-only) and a configure script's tests of the compiler are left unchanged: their results must be
 * the project's own. The linker keeps symbols and debug information, whatever its options: a profile of nameless
 * functions is useless. The real tool replaces this process, so messages and exit status are the tool's.
 */
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static _Noreturn void give_up(const char *what, const char *detail)
{
	fprintf(stderr, "perfevo: %s%s%s\n", what, detail != NULL ? ": " : "",
		detail != NULL ? detail : "");
	exit(1);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

/* --- Whether this compilation gets the flags --- */

/* Whether a list, up to its NULL, has a word. */
static bool has_word(const char *const *list, const char *word)
{
	for (; *list != NULL; list++)
		if (strcmp(*list, word) == 0)
			return true;
	return false;
}

static bool has_argument(char **argv, const char *wanted)
{
	return argv[0] != NULL && has_word((const char *const *)argv + 1, wanted);
}

/* -S is looked up in COLLECT_GCC_OPTIONS, which holds the driver's own arguments, quoted. */
static bool makes_object(char **argv)
{
	const char *options = getenv("COLLECT_GCC_OPTIONS");

	return !has_argument(argv, "-E") && !has_argument(argv, "-fsyntax-only") &&
	       (options == NULL || strstr(options, "'-S'") == NULL);
}

static bool is_probe_folder(const char *path)
{
	static const char *const folders[] = {"CMakeFiles/CMakeTmp", "CMakeFiles/CMakeScratch",
					      "/CompilerId", "meson-private/"};

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strstr(path, folders[i]) != NULL)
			return true;
	return false;
}

/* Whether configure (conftest.c), CMake or Meson compiles this to test the compiler. */
static bool is_probe(char **argv)
{
	char folder[PATH_MAX];

	if (getcwd(folder, sizeof(folder)) != NULL && is_probe_folder(folder))
		return true;
	for (size_t i = 1; argv[i] != NULL; i++)
		if (argv[i][0] != '-' &&
		    (strncmp(base_name(argv[i]), "conftest.", 9) == 0 || is_probe_folder(argv[i])))
			return true;
	return false;
}

/* --- The real compiler --- */

/* Find the path of the compiler that would have been called without us: its driver tells, with the project's own COMPILER_PATH. */
static void find_real(char *path, size_t size, const char *self)
{
	const char *driver = getenv("COLLECT_GCC");
	char real[PATH_MAX], own[PATH_MAX], question[256];
	FILE *answer;

	if (driver == NULL || strchr(self, '/') == NULL)
		give_up("this is no program to be called by hand: gcc calls it", NULL);
	snprintf(
		question, sizeof(question),
		"COMPILER_PATH=$PERFEVO_COMPILER_PATH; [ -n \"$COMPILER_PATH\" ] || unset COMPILER_PATH; "
		"exec \"$COLLECT_GCC\" -print-prog-name=%s",
		base_name(self));
	answer = popen(question, "re");
	if (answer == NULL || fgets(path, (int)size, answer) == NULL || strchr(path, '/') == NULL)
		give_up("the compiler's driver does not say where its compiler is", driver);
	pclose(answer);
	path[strcspn(path, "\n")] = '\0';
	/* A wrapper around a wrapper would call itself for ever. */
	if (realpath(path, real) != NULL && realpath("/proc/self/exe", own) != NULL &&
	    strcmp(real, own) == 0)
		give_up("the compiler's driver knows no compiler but this stand-in", driver);
}

/* --- Its arguments --- */

static size_t count(char **argv)
{
	size_t n = 0;

	while (argv[n] != NULL)
		n++;
	return n;
}

/* The driver's arguments, then a flag for each line; not freed, as the compiler replaces this process. */
static char **with_flags(char **argv, const char *flags)
{
	size_t n = count(argv), lines = 1;
	char *copy = strdup(flags);
	char **all;

	for (const char *at = flags; *at != '\0'; at++)
		lines += *at == '\n';
	all = calloc(n + lines + 1, sizeof(*all));
	if (copy == NULL || all == NULL)
		give_up("out of memory", NULL);
	memcpy(all, argv, n * sizeof(*all));
	for (char *line = strtok(copy, "\n"); line != NULL; line = strtok(NULL, "\n"))
		all[n++] = line;
	return all;
}

/* --- Symbols are kept --- */

/* Whether an argument makes ld remove symbols or debug information. ld takes one dash or two. */
static bool strips(const char *argument)
{
	static const char *const options[] = {
		"-s", "-S", "-strip-all", "--strip-all", "-strip-debug", "--strip-debug", NULL};

	return has_word(options, argument);
}

/*
 * Copy a file of arguments, which the driver writes a line each, without those that strip, to a file in memory
 * that exists as long as the linker. An argument that names no such file is returned as it is.
 */
static char *filtered_file(char *argument)
{
	FILE *in = fopen(argument + 1, "re");
	int fd = in != NULL ? memfd_create("perfevo-arguments", 0) : -1;
	FILE *out = fd >= 0 ? fdopen(dup(fd), "w") : NULL;
	char *line = NULL, *name = argument;
	size_t room = 0;
	ssize_t n;

	while (out != NULL && (n = getline(&line, &room, in)) >= 0) {
		if (n > 0 && line[n - 1] == '\n')
			line[n - 1] = '\0';
		if (!strips(line))
			fprintf(out, "%s\n", line);
	}
	if (out != NULL && fclose(out) == 0 && asprintf(&name, "@/proc/self/fd/%d", fd) < 0)
		name = argument;
	if (in != NULL)
		fclose(in);
	free(line);
	return name;
}

/* Remove stripping arguments in place. Values of options are not recognised: no file or section is called "-s". */
static void keep_symbols_linking(char **argv)
{
	size_t n = 1;

	for (size_t i = 1; argv[i] != NULL; i++)
		if (!strips(argv[i]))
			argv[n++] = argv[i][0] == '@' ? filtered_file(argv[i]) : argv[i];
	argv[n] = NULL;
}

int main(int argc, char **argv)
{
	const char *flags = getenv("PERFEVO_CC1_FLAGS");
	char path[PATH_MAX];

	if (argc < 1)
		return 1;
	find_real(path, sizeof(path), argv[0]);
	if (strcmp(base_name(argv[0]), "collect2") == 0)
		keep_symbols_linking(argv);
	else if (flags != NULL && makes_object(argv) && !is_probe(argv))
		argv = with_flags(argv, flags);
	argv[0] = path;
	execv(path, argv);
	give_up(path, strerror(errno));
}
