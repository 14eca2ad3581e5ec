#include "cmd/ui/term.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *const pe_colours[] = {"auto", "always", "never", NULL};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] != '\0';
}

static unsigned columns_of(int fd)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (columns != NULL && strtoul(columns, NULL, 10) > 0 && strtoul(columns, NULL, 10) < 10000)
		return (unsigned)strtoul(columns, NULL, 10);
	return 80;
}

static bool contains(const char *string, const char *part)
{
	return string != NULL && strstr(string, part) != NULL;
}

/* COLORTERM is what terminals with true colour agreed on; terminfo has "-direct" for them, too. */
static unsigned colours_of(const char *name)
{
	const char *set = getenv("COLORTERM");

	if (contains(set, "truecolor") || contains(set, "24bit") || contains(name, "-direct"))
		return 1u << 24;
	return contains(name, "256") ? 256 : 16;
}

struct pe_term pe_term_detect(int fd, enum pe_colour colour)
{
	const char *name = getenv("TERM");
	bool terminal = isatty(fd) == 1;
	bool dumb = name == NULL || strcmp(name, "dumb") == 0;

	return (struct pe_term){
		.width = terminal ? columns_of(fd) : 0,
		.colour = colour == PE_COLOUR_ALWAYS ||
			  (colour == PE_COLOUR_AUTO && terminal && !dumb && !is_set("NO_COLOR")),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.colours = colours_of(name),
	};
}

int pe_term_write(int fd, const char *bytes, size_t n, struct pe_err *err)
{
	while (n > 0) {
		ssize_t put = write(fd, bytes, n);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0 && errno == EPIPE)
			return PE_OK;
		if (put < 0)
			return pe_fail_errno(err, "cannot write the result");
		bytes += put;
		n -= (size_t)put;
	}
	return PE_OK;
}

/* --- The pager --- */

/* NULL: none. A variable that is set to nothing means no pager, as in git. */
static const char *pager_command(void)
{
	static const char *const variables[] = {"PERFEVO_PAGER", "GIT_PAGER", "PAGER"};
	const char *command = "less";

	for (size_t i = 0; i < sizeof(variables) / sizeof(*variables); i++) {
		const char *value = getenv(variables[i]);

		if (value != NULL) {
			command = value;
			break;
		}
	}
	if (command[0] == '\0' || strcmp(command, "cat") == 0)
		return NULL;
	return command;
}

/* Start the shell with the pager, reading from a pipe whose other end is *to. */
static int start_pager(pid_t *pid, int *to, const char *command)
{
	char *argv[] = {(char[]){"sh"}, (char[]){"-c"}, NULL, NULL};
	posix_spawn_file_actions_t actions;
	int ends[2], rc;

	argv[2] = strdup(command);
	if (argv[2] == NULL || pipe(ends) < 0) {
		free(argv[2]);
		return -1;
	}
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
	posix_spawn_file_actions_addclose(&actions, ends[0]);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	rc = posix_spawn(pid, "/bin/sh", &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	free(argv[2]);
	close(ends[0]);
	*to = ends[1];
	if (rc != 0)
		close(ends[1]);
	return rc == 0 ? 0 : -1;
}

bool pe_term_page(const struct pe_text *document)
{
	const char *command = pager_command();
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction interrupt, quit;
	int to, status;
	pid_t pid;

	if (command == NULL || start_pager(&pid, &to, command) < 0)
		return false;
	/* Ctrl-C is the pager's business while it has the terminal. */
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	pe_term_write(to, pe_text_str(document), document->len, NULL);
	close(to);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	/* The shell's word for "no such command". */
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

/* --- The browser --- */

static bool on_path(const char *program)
{
	const char *path = getenv("PATH");
	bool found = false;

	while (path != NULL && *path != '\0' && !found) {
		size_t n = strcspn(path, ":");
		struct pe_text file = PE_TEXT_INIT;

		pe_text_addn(&file, path, n);
		pe_text_addf(&file, "/%s", program);
		found = n > 0 && access(file.data, X_OK) == 0;
		pe_text_release(&file);
		path += n + (path[n] == ':');
	}
	return found;
}

/* In the second child: a session of its own, no terminal, and whatever it says goes nowhere. */
_Noreturn static void become_browser(const char *path)
{
	int null = open("/dev/null", O_RDWR);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	execlp("xdg-open", "xdg-open", path, (char *)NULL);
	_exit(127);
}

bool pe_term_browse(const char *path)
{
	pid_t pid;
	int status;

	if ((!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) || !on_path("xdg-open"))
		return false;
	pid = fork();
	if (pid == 0) {
		/* The child that we wait for ends at once; its child belongs to init. */
		if (setsid() >= 0 && fork() == 0)
			become_browser(path);
		_exit(0);
	}
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return true;
}
