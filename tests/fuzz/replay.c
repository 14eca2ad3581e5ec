/* The main of a fuzz target without libFuzzer: each file of the folders that are named is an input, unpacked
 * where gzip packed it. */
#include "core/base/text.h"
#include "require.h"

#include <dirent.h>
#include <zlib.h>

static void replay_file(const char *path)
{
	pe_auto_text input = PE_TEXT_INIT;
	char buffer[1 << 14];
	gzFile file = gzopen(path, "rb");
	int n;

	require(file != NULL, "a seed is opened");
	while ((n = gzread(file, buffer, sizeof(buffer))) > 0)
		pe_text_addn(&input, buffer, (size_t)n);
	require(gzclose(file) == Z_OK && n == 0, "a seed is read");
	LLVMFuzzerTestOneInput((const uint8_t *)pe_text_str(&input), input.len);
}

static size_t replay(const char *folder)
{
	struct dirent *entry;
	DIR *dir = opendir(folder);
	size_t n = 0;

	require(dir != NULL, "the folder of seeds is there");
	while ((entry = readdir(dir)) != NULL) {
		pe_auto_text path = PE_TEXT_INIT;

		if (entry->d_name[0] == '.')
			continue;
		pe_text_addf(&path, "%s/%s", folder, entry->d_name);
		replay_file(path.data);
		n++;
	}
	closedir(dir);
	return n;
}

int main(int argc, char **argv)
{
	size_t n = 0;

	for (int i = 1; i < argc; i++)
		n += replay(argv[i]);
	require(n > 0, "there are seeds");
	printf("%zu inputs\n", n);
	return 0;
}
