/*
 * Pty: a terminal of its own for a command whose output people see. What it prints is copied to their terminal, and what they
 * type is copied to it where they talk to it: a command that had their terminal itself, be it for its output alone, could read
 * from it and type into it (TIOCSTI), and would have no jobs in another session.
 */
#pragma once

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
	int screen; /**< the user's terminal, as the descriptor that what is printed is copied to */
	bool typing; /**< what the user types is copied, too, and the user's terminal is raw */
	bool on;     /**< copying */
};

/**
 * Open one of the size of the user's terminal and begin to copy. Before it, no other thread is there.
 *
 * @param screen  standard output or standard error: the one that is a terminal
 * @param typing  whether standard input is to be copied, too: it is a terminal then, and becomes raw
 * @return        PE_ESYS; nothing has changed then
 */
int pe_pty_open(struct pe_pty *out, int screen, bool typing, struct pe_err *err);

/** Copy what is left, once every command that has the slave has ended, and give the user's terminal back. One that is zeroed is left alone. */
void pe_pty_close(struct pe_pty *pty);
