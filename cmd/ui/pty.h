/*
 * Pty: a terminal of its own for a command that people talk to. What it prints is copied to theirs, what they type is copied
 * to it: a command that had their terminal itself could type into it (TIOCSTI), and would have no jobs in another session.
 */
#ifndef PE_CMD_UI_PTY_H
#define PE_CMD_UI_PTY_H

#include "core/base/err.h"

#include <pthread.h>
#include <stdbool.h>
#include <termios.h>

/** Zero-initialise. */
struct pe_pty {
	int master, slave,
		resized; /**< descriptors; the slave is what the command gets for its output and reads from */
	struct termios before; /**< how the user's terminal was set */
	pthread_t relay;
	bool on; /**< copying, and the user's terminal is raw */
};

/**
 * Open one of the size of the user's terminal (standard input), make that one raw and begin to copy. Both of standard input
 * and output are terminals. Before it, no other thread is there.
 *
 * @return  PE_ESYS; nothing has changed then
 */
int pe_pty_open(struct pe_pty *out, struct pe_err *err);

/** Copy what is left, once every command that has the slave has ended, and give the user's terminal back. Welcomes a zeroed one. */
void pe_pty_close(struct pe_pty *pty);

#endif
