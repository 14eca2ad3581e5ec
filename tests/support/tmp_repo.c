/* mkdtemp(3) and popen(3) are all that is needed: git does the work. */
#define _XOPEN_SOURCE 700
#include "tests/support/tmp_repo.h"

#include "core/base/text.h"
#include "core/base/vec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char gitconfig[] = "[user]\n"
				"\tname = Ada Author\n"
				"\temail = ada@example.org\n"
				"[init]\n"
				"\tdefaultBranch = main\n"
				"[commit]\n"
				"\tgpgSign = false\n"
				"[gc]\n"
				"\tauto = 0\n"
				"[maintenance]\n"
				"\tauto = false\n"
				"[advice]\n"
				"\tdetachedHead = false\n"
				"[protocol \"file\"]\n"
				"\tallow = always\n";

static _Noreturn void give_up(const char *what, const char *detail)
{
	fprintf(stderr, "tmp_repo: %s: %s\n", what, detail);
	abort();
}

static void clear_environment(const char *home)
{
	for (char **at = environ; *at != NULL;) {
		size_t n = strcspn(*at, "=");
		char *name = strndup(*at, n);
		int is_git = strncmp(name, "GIT_", 4) == 0;

		if (is_git)
			unsetenv(name);
		free(name);
		at = is_git ? environ : at + 1;
	}
	unsetenv("XDG_CONFIG_HOME");
	setenv("HOME", home, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	setenv("LC_ALL", "C", 1);
	setenv("TZ", "UTC", 1);
}

/* Until the process ends, which is when its test does. */
static char *keep(char *text)
{
	static PE_VEC(char *) kept;

	pe_vec_push(&kept, text);
	return text;
}

static char *run(const struct tmp_repo *repo, const char *command)
{
	struct pe_text line = PE_TEXT_INIT, output = PE_TEXT_INIT;
	char chunk[4096];
	FILE *pipe;
	size_t n;
	int status;

	pe_text_addf(&line,
		     "cd '%s' && export GIT_AUTHOR_DATE='@%lld +0000' "
		     "GIT_COMMITTER_DATE='@%lld +0000' && { %s\n} 2>&1",
		     repo->root, (long long)repo->clock_s, (long long)repo->clock_s, command);
	pipe = popen(line.data, "r");
	if (pipe == NULL)
		give_up(command, "cannot start a shell");
	while ((n = fread(chunk, 1, sizeof(chunk), pipe)) != 0)
		pe_text_addn(&output, chunk, n);
	status = pclose(pipe);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		give_up(command, pe_text_str(&output));
	while (output.len != 0 && output.data[output.len - 1] == '\n')
		output.data[--output.len] = '\0';
	pe_text_release(&line);
	pe_text_add(&output, "");
	return output.data != NULL ? output.data : calloc(1, 1);
}

PE_PRINTF(1, 0) static char *format_text(const char *format, va_list args)
{
	va_list again;
	char *text;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	text = malloc((size_t)n + 1);
	if (text == NULL)
		give_up(format, "out of memory");
	vsnprintf(text, (size_t)n + 1, format, again);
	va_end(again);
	return text;
}

void tmp_repo_init(struct tmp_repo *repo)
{
	pe_auto_text text = PE_TEXT_INIT;
	const char *tmp = getenv("TMPDIR");
	char real[4096];

	memset(repo, 0, sizeof(*repo));
	repo->clock_s = TMP_REPO_EPOCH_S;
	pe_text_addf(&text, "%s/perfevo-test-XXXXXX", tmp != NULL && tmp[0] != '\0' ? tmp : "/tmp");
	if (mkdtemp(text.data) == NULL || realpath(text.data, real) == NULL)
		give_up(text.data, "cannot make the folder");
	repo->root = strdup(real);
	repo->dir = tmp_repo_path(repo, "repo");
	pe_text_clear(&text);
	pe_text_addf(&text, "%s/home", repo->root);
	if (mkdir(text.data, 0777) != 0)
		give_up(text.data, "cannot make the folder");
	clear_environment(text.data);
	pe_text_add(&text, "/.gitconfig");
	{
		struct pe_text config = PE_TEXT_INIT;
		struct pe_err err = PE_ERR_INIT;

		pe_text_add(&config, gitconfig);
		if (pe_text_write_file(&config, text.data, &err) != 0)
			give_up(text.data, err.message);
		pe_text_release(&config);
	}
	free(run(repo, "git init -q --template= repo"));
}

void tmp_repo_release(struct tmp_repo *repo)
{
	if (repo->root == NULL)
		return;
	free(run(repo, "chmod -R u+rwX . && rm -rf \"$PWD\""));
	free(repo->root);
	free(repo->dir);
	memset(repo, 0, sizeof(*repo));
}

void tmp_repo_git_in(const struct tmp_repo *repo, const char *dir, const char *format, ...)
{
	pe_auto_text command = PE_TEXT_INIT;
	va_list args;
	char *text;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	pe_text_addf(&command, "git -C '%s' %s", dir, text);
	free(run(repo, command.data));
	free(text);
}

void tmp_repo_sh(const struct tmp_repo *repo, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = format_text(format, args);
	va_end(args);
	free(run(repo, text));
	free(text);
}

char *tmp_repo_output(const struct tmp_repo *repo, const char *format, ...)
{
	va_list args;
	char *text;

	va_start(args, format);
	text = keep(format_text(format, args));
	va_end(args);
	return keep(run(repo, text));
}

void tmp_repo_write_bytes(const struct tmp_repo *repo, const char *path, const void *bytes,
			  size_t n)
{
	pe_auto_text full = PE_TEXT_INIT;
	FILE *file;

	pe_text_addf(&full, "%s/%s", repo->dir, path);
	for (char *slash = strchr(full.data + strlen(repo->dir) + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(full.data, 0777);
		*slash = '/';
	}
	file = fopen(full.data, "wb");
	if (file == NULL || fwrite(bytes, 1, n, file) != n || fclose(file) != 0)
		give_up(full.data, "cannot write the file");
}

void tmp_repo_write(const struct tmp_repo *repo, const char *path, const char *content)
{
	tmp_repo_write_bytes(repo, path, content, strlen(content));
}

const char *tmp_repo_commit(struct tmp_repo *repo, const char *subject)
{
	char *id;

	id = tmp_repo_output(
		repo,
		"cd repo && git -c core.safecrlf=false add -A && git commit -q --allow-empty -m '%s' && "
		"git rev-parse HEAD",
		subject);
	snprintf(repo->head, sizeof(repo->head), "%s", id);
	repo->clock_s += 60;
	return repo->head;
}

char *tmp_repo_path(const struct tmp_repo *repo, const char *name)
{
	struct pe_text path = PE_TEXT_INIT;

	pe_text_addf(&path, "%s/%s", repo->root, name);
	return keep(path.data);
}
