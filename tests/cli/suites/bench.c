/* What bench.sh.in is, compiled, for what looks into programs: "benchmark_list_tests" is what it is recognised by. */
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile unsigned sum;

#ifdef OWN
#include OWN /* own(name): what a benchmark does by itself */
#else
static void own(const char *name)
{
	(void)name;
}
#endif

static void work(int times)
{
	char *block = malloc(100);

	for (int i = 0; block != NULL && i < times; i++)
		sum += (unsigned)i;
	free(block);
}

static void measure(FILE *out, const char *name, long ns, long iterations, const char *comma)
{
	own(name);
	for (long i = 0; i < iterations; i++)
		work((int)(ns / 100));
	for (int i = 0; i < 3; i++)
		fprintf(out,
			"%s\n{\"name\": \"%s\", \"run_name\": \"%s\", \"run_type\": \"iteration\", \"repetitions\": 3,"
			" \"repetition_index\": %d, \"threads\": 1, \"iterations\": %ld, \"real_time\": %ld.%d5,"
			" \"cpu_time\": %ld.0, \"time_unit\": \"ns\"}",
			i > 0 ? "," : comma, name, name, i, iterations, ns, i, ns);
}

int main(int argc, char **argv)
{
	const char *filter = ".", *comma = "";
	FILE *figures = fopen("figures", "r"), *out = stdout, *starts = NULL;
	long ns, iterations = 7;
	int list = 0;
	char name[100];
	regex_t regex;

	for (int i = 1; i < argc; i++) {
		if (strncmp(argv[i], "--benchmark_filter=", 19) == 0)
			filter = argv[i] + 19;
		else if (strncmp(argv[i], "--benchmark_out=", 16) == 0)
			out = fopen(argv[i] + 16, "w");
		else if (strncmp(argv[i], "--benchmark_min_time=", 21) == 0)
			iterations = atol(argv[i] + 21);
		else if (strncmp(argv[i], "--benchmark_list_tests", 22) == 0)
			list = 1;
		else if (strcmp(argv[i], "--help") == 0)
			return puts("[--benchmark_min_time=`<integer>x` OR `<float>s` ]") < 0;
	}
	if (figures == NULL || out == NULL ||
	    regcomp(&regex, filter, REG_EXTENDED | REG_NOSUB) != 0)
		return 1;
	if (!list && (starts = fopen(STARTS, "a")) != NULL) {
		fprintf(starts, "%s %ld\n", filter, iterations);
		fclose(starts);
	}
	if (!list)
		fprintf(out, "{\"context\": {}, \"benchmarks\": [");
	while (fscanf(figures, "%99s %ld", name, &ns) == 2) {
		if (regexec(&regex, name, 0, NULL, 0) != 0)
			continue;
		if (list) {
			puts(name);
			continue;
		}
		measure(out, name, ns, iterations, comma);
		comma = ",";
	}
	if (!list)
		fprintf(out, "]}\n");
	return fclose(out) != 0;
}
