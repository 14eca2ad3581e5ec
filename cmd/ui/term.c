#include "cmd/ui/term.h"

#include "core/base/place.h"
#include "core/base/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { PIPE_COLUMNS = 120 };

extern char **environ;

const char *const pe_colours[] = {"auto", "always", "never", NULL};

static bool is_set(const char *variable)
{
	const char *value = getenv(variable);

	return value != NULL && value[0] != '\0';
}

static unsigned columns_of(int fd, bool terminal)
{
	const char *columns = getenv("COLUMNS");
	struct winsize size;

	if (ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	if (columns != NULL && strtoul(columns, NULL, 10) > 0 && strtoul(columns, NULL, 10) < 10000)
		return (unsigned)strtoul(columns, NULL, 10);
	return terminal ? 80 : PIPE_COLUMNS;
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
		.width = columns_of(fd, terminal),
		.interactive = terminal,
		.colour = colour == PE_COLOUR_ALWAYS ||
			  (colour == PE_COLOUR_AUTO && terminal && !dumb && !is_set("NO_COLOR")),
		.unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
		.colours = colours_of(name),
	};
}

/* --- Pipelines: their runners take lines of a log for commands --- */

/* Azure and TeamCity find theirs anywhere in a line, GitHub and GitLab at its beginning. */
static const char *const starts[] = {"::", "section_start:", "section_end:"};

/* Buildkite's, which are ordinary Markdown elsewhere. */
static const char *const groups[] = {"--- ", "+++ ", "~~~ ", "^^^ "};

static bool begins_one(const char *at, const char *end, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((size_t)(end - at) >= strlen(words[i]) &&
		    strncmp(at, words[i], strlen(words[i])) == 0)
			return true;
	return false;
}

static bool is_space(char c)
{
	return (unsigned char)c <= ' ' || (unsigned char)c >= 0x7f;
}

/*
 * Append a text of which a pipeline's runner takes no line for a command: lines that would begin with one begin with "| ", and
 * "##" becomes "# #". @param own_commands  lines may begin with one
 */
static void add_disarmed(struct pe_text *out, const char *bytes, size_t n, bool own_commands)
{
	const char *end = bytes + n;
	bool first = true, buildkite = is_set("BUILDKITE");

	for (const char *at = bytes; at < end; at++) {
		if (first && !is_space(*at)) {
			first = false;
			if (!own_commands &&
			    (begins_one(at, end, starts, sizeof(starts) / sizeof(*starts)) ||
			     (buildkite &&
			      begins_one(at, end, groups, sizeof(groups) / sizeof(*groups)))))
				pe_text_add(out, "| ");
		}
		pe_text_addc(out, *at);
		if (*at == '#' && at + 1 < end && at[1] == '#')
			pe_text_addc(out, ' ');
		first = first || *at == '\n' || *at == '\r';
	}
}

/* Also of a file or pipe, which a step may print later. What holds zeros is no text. */
static bool is_for_runner(int fd, const char *bytes, size_t n)
{
	static const char *const runners[] = {"CI",           "GITHUB_ACTIONS",   "GITLAB_CI",
					      "TF_BUILD",     "TEAMCITY_VERSION", "BUILDKITE",
					      "GITEA_ACTIONS"};
	bool runner = false;

	for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		runner = runner || is_set(runners[i]);
	return runner && (fd == STDOUT_FILENO || fd == STDERR_FILENO) &&
	       memchr(bytes, '\0', n) == NULL;
}

static int write_all(int fd, const char *bytes, size_t n, struct pe_err *err)
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

static int write_disarmed(int fd, const char *bytes, size_t n, bool own_commands,
			  struct pe_err *err)
{
	pe_auto_text text = PE_TEXT_INIT;

	if (!is_for_runner(fd, bytes, n))
		return write_all(fd, bytes, n, err);
	add_disarmed(&text, bytes, n, own_commands);
	return write_all(fd, pe_text_str(&text), text.len, err);
}

int pe_term_write(int fd, const char *bytes, size_t n, struct pe_err *err)
{
	return write_disarmed(fd, bytes, n, false, err);
}

int pe_term_write_commands(int fd, const char *bytes, size_t n, struct pe_err *err)
{
	return write_disarmed(fd, bytes, n, true, err);
}

/* --- The pager --- */

/* NULL: none. A variable that is set to nothing means no pager, as in git. */
static const char *pager_command(void)
{
	static const char *const variables[] = {"PERFEVO_PAGER", "GIT_PAGER", "PAGER"};
	const char *command = NULL;

	for (size_t i = 0; command == NULL && i < sizeof(variables) / sizeof(*variables); i++)
		command = getenv(variables[i]);
	if (command == NULL)
		return "less";
	return command[0] == '\0' || strcmp(command, "cat") == 0 ? NULL : command;
}

/* Start the shell with the pager, reading from a pipe whose other end is *to. */
static int start_pager(pid_t *pid, int *to, const char *command)
{
	const char *const argv[] = {"sh", "-c", command, NULL};
	struct pe_spawn spawn = {PE_SPAWN_INIT, .argv = argv};
	int ends[2], rc;

	if (pipe(ends) < 0)
		return PE_ESYS;
	fcntl(ends[0], F_SETFD, FD_CLOEXEC);
	fcntl(ends[1], F_SETFD, FD_CLOEXEC);
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	spawn.in = ends[0];
	rc = pe_spawn_start(pid, &spawn, NULL);
	close(ends[0]);
	*to = ends[1];
	if (rc != PE_OK)
		close(ends[1]);
	return rc;
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
	status = pe_spawn_wait(pid);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	/* The shell's word for "no such command". */
	return !(WIFEXITED(status) && WEXITSTATUS(status) == 127);
}

/* --- The browser --- */

bool pe_term_browse(const char *path)
{
	const char *const argv[] = {"xdg-open", path, NULL};
	const struct pe_spawn spawn = {.argv = argv,
				       .in = -1,
				       .out = -1,
				       .err = -1,
				       .hand = -1,
				       .flags = PE_SPAWN_DETACHED};
	pe_auto_arena arena = PE_ARENA_INIT;
	pid_t pid;

	if ((!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) ||
	    pe_place_on_path("xdg-open", &arena) == NULL)
		return false;
	return pe_spawn_start(&pid, &spawn, NULL) == PE_OK;
}
