#define _GNU_SOURCE /* cfmakeraw(3) */
#include "cmd/ui/pty.h"

#include "cmd/ui/term.h"

#include <errno.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

/* @return  false: nothing more comes from there, or goes there */
static bool copy(int from, int to)
{
	char bytes[4096];
	ssize_t n = read(from, bytes, sizeof(bytes));

	if (n < 0)
		return errno == EINTR;
	return n > 0 && pe_term_write(to, bytes, (size_t)n, NULL) == PE_OK;
}

static void copy_size(const struct pe_pty *pty)
{
	struct winsize size;

	if (ioctl(pty->screen, TIOCGWINSZ, &size) == 0)
		ioctl(pty->master, TIOCSWINSZ, &size);
}

static void *copy_both(void *payload)
{
	const struct pe_pty *pty = payload;
	struct pollfd ready[3] = {{.fd = pty->master, .events = POLLIN},
				  {.fd = pty->typing ? STDIN_FILENO : -1, .events = POLLIN},
				  {.fd = pty->resized, .events = POLLIN}};

	for (;;) {
		struct signalfd_siginfo resized;

		if (poll(ready, 3, -1) < 0 && errno != EINTR)
			break;
		/* The read fails once no process has the slave open. */
		if (ready[0].revents != 0 && !copy(pty->master, pty->screen))
			break;
		if (ready[1].revents != 0 && !copy(STDIN_FILENO, pty->master))
			ready[1].fd = -1;
		if (ready[2].revents != 0 && read(pty->resized, &resized, sizeof(resized)) > 0)
			copy_size(pty);
	}
	return NULL;
}

static void close_all(const struct pe_pty *pty)
{
	const int fds[] = {pty->master, pty->slave, pty->resized};

	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++)
		if (fds[i] >= 0)
			close(fds[i]);
}

/* Only a signal that every thread blocks waits for who reads it. */
static int watch_size(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGWINCH);
	return pthread_sigmask(SIG_BLOCK, &signals, NULL) == 0 ? signalfd(-1, &signals, SFD_CLOEXEC)
							       : -1;
}

static bool begin(struct pe_pty *pty)
{
	struct termios raw;

	if (tcgetattr(pty->screen, &pty->before) != 0)
		return false;
	copy_size(pty);
	raw = pty->before;
	cfmakeraw(&raw);
	/* One of the two is raw, so that nothing is done twice to what passes through both. */
	if (tcsetattr(pty->slave, TCSANOW, pty->typing ? &pty->before : &raw) != 0)
		return false;
	if (pty->typing && tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) != 0)
		return false;
	errno = pthread_create(&pty->relay, NULL, copy_both, pty);
	if (errno != 0 && pty->typing)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &pty->before);
	return errno == 0;
}

int pe_pty_open(struct pe_pty *out, int screen, bool typing, struct pe_err *err)
{
	*out = (struct pe_pty){.master = -1,
			       .slave = -1,
			       .resized = watch_size(),
			       .screen = screen,
			       .typing = typing};
	out->on = out->resized >= 0 && openpty(&out->master, &out->slave, NULL, NULL, NULL) == 0 &&
		  begin(out);
	if (out->on)
		return PE_OK;
	pe_fail_errno(
		err,
		"cannot open a pseudo-terminal: give a command after `--`, and redirect its output");
	close_all(out);
	return PE_ESYS;
}

void pe_pty_close(struct pe_pty *pty)
{
	if (!pty->on)
		return;
	close(pty->slave);
	pty->slave = -1;
	pthread_join(pty->relay, NULL);
	if (pty->typing)
		tcsetattr(STDIN_FILENO, TCSADRAIN, &pty->before);
	close_all(pty);
	pty->on = false;
}
