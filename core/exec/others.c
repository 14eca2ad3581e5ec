#include "core/exec/others.h"

#include "core/base/files.h"
#include "core/base/walk.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_FILES = 1 << 20 };

struct walking {
	const char *top;
	void (*meet)(const char *folder, void *payload);
	void *payload;
	size_t n; /* files so far */
};

bool pe_others_may_read(const char *path)
{
	const mode_t entered = S_IROTH | S_IXOTH;
	struct stat what;

	if (lstat(path, &what) != 0)
		return false;
	if (S_ISDIR(what.st_mode))
		return (what.st_mode & entered) == entered;
	return S_ISLNK(what.st_mode) || (S_ISREG(what.st_mode) && (what.st_mode & S_IROTH) != 0);
}

bool pe_others_may_reach(const char *path, const char *above)
{
	char part[PATH_MAX];
	bool may = strlen(path) < sizeof(part);

	for (size_t n = strlen(above); may && path[n] != '\0';) {
		n += 1 + strcspn(path + n + 1, "/");
		snprintf(part, sizeof(part), "%.*s", (int)n, path);
		may = pe_others_may_read(part);
	}
	return may;
}

static int look(const struct pe_walk_step *step, void *payload)
{
	struct walking *walking = payload;
	char path[PATH_MAX];
	int n;

	if (++walking->n > MOST_FILES)
		return -1;
	if (!step->is_dir)
		return PE_WALK_PASS;
	n = snprintf(path, sizeof(path), "%s/%s", walking->top, step->path);
	if (n >= (int)sizeof(path))
		return -1;
	if (!pe_others_may_read(path))
		return PE_WALK_PASS;
	walking->meet(path, walking->payload);
	return PE_WALK_ENTER;
}

bool pe_others_walk(const char *top, void (*meet)(const char *folder, void *payload), void *payload)
{
	struct walking walking = {top, meet, payload, 0};
	const struct pe_folder_walk walk = {look, NULL, &walking};
	pe_auto_fd dir = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (dir < 0)
		return false;
	meet(top, payload);
	return pe_walk_folder(dir, &walk, NULL) == 0;
}
