/*
 * Proc: run a command as a whole process tree, bound it, end it, and report its cost.
 *
 * Commands are started by perfevo-launch, a small static program that stays alive for a session: a child
 * forked from a large parent inherits the parent's peak memory in ru_maxrss, and forking it costs more.
 * The launcher is a subreaper: remaining processes of the command (daemons, grandchildren that changed session) are
 * found, ended and counted. When perfevo dies, the launcher sees its socket close, ends the tree and exits.
 */
#pragma once

#include "core/base/err.h"
#include "probe/formats/launch.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What to run and within which bounds. Every pointer is borrowed for the call. */
struct pe_proc_spec {
	const char *const *argv; /**< NULL-terminated; argv[0] is looked up on env's PATH */
	const char *cwd;         /**< working directory, absolute; NULL: "/" */
	const char *const *env;  /**< the whole environment, "K=V", NULL-terminated */
	/** absolute; NULL: /dev/null. A regular file or a character device: anything else is PE_PROC_BAD_INPUT */
	const char *stdin_path;
	int stdout_fd;       /**< an open file (pe_files_open_unnamed()); 0: /dev/null */
	int stderr_fd;       /**< the same number as stdout_fd makes both one stream */
	const int *jobs;     /**< two ends of a jobserver, PE_JOBS_FD in the command; NULL: none */
	uint64_t timeout_ns; /**< wall time after which the tree is ended; 0: none */
	uint64_t output_bytes; /**< most that stdout or stderr may hold; 0: no bound */
	/** most that the second of the places may hold, looked at as long as output is bounded; 0: no bound */
	uint64_t records_bytes;
	int cpu;        /**< pin the tree to this processor; -1: leave it */
	int nice;       /**< absolute nice value */
	unsigned flags; /**< enum pe_proc_flags */
	/** a build or setup: what it leaves outside of the places is for commands that come later */
	bool leaves;
	bool builds; /**< a step of a build */
	/** folders that it may write to where commands are confined; NULL: none */
	const char *places[PE_WIRE_PLACES];
	/** whose folders in memory it has where commands are confined, such as a commit's; 0: it is not known */
	uint64_t holder;
	/**
	 * Counts Ctrl-C: when it reaches 2 while the command runs, the tree is ended at once, and a command
	 * is not started when it is there already (PE_PROC_STOPPED). NULL: never.
	 */
	const volatile sig_atomic_t *interrupts;
	bool hasty; /**< ends at the first Ctrl-C: it measures nothing */
	/** A descriptor that is readable once the tree is to end, for threads that no signal reaches. 0: none */
	int stop_fd;
};

struct pe_arena;
struct pe_launcher;

/**
 * Start a launcher.
 *
 * @param out   the handle; close it with pe_launcher_close()
 * @param path  the program; NULL: PERFEVO_LAUNCH from the environment, else beside this program, in its
 *              build tree, or in its installed place (../libexec/perfevo relative to this program)
 * @return      PE_ENOTFOUND with the places looked at, PE_ESYS
 */
int pe_launcher_open(struct pe_launcher **out, const char *path, struct pe_err *err);

/** End the launcher and all processes under it. NULL is allowed. */
void pe_launcher_close(struct pe_launcher *launcher);

/** Whether this machine lets the launcher count instructions (asked once, when it starts). */
bool pe_launcher_counts_instructions(const struct pe_launcher *launcher);

/**
 * Bound all further commands, once, before they are confined.
 *
 * @param out    how the bounds are kept
 * @param group  cgroup in which commands have theirs; NULL: the launcher looks for one
 * @return       PE_ESYS: the launcher is gone
 */
int pe_launcher_limit(struct pe_wire_limited *out, struct pe_launcher *launcher,
		      const struct pe_wire_limit *limit, const char *group, struct pe_err *err);

/** One place below the root of confined commands. */
struct pe_place {
	enum pe_wire_place kind;
	const char *path;   /**< absolute, without symbolic links but for the last part of a link */
	const char *target; /**< of a link; else NULL */
};

/** What confined commands see. Borrowed for the call. */
struct pe_confine_spec {
	const char *root; /**< an empty folder, on which their root is mounted for them alone */
	const struct pe_place *places; /**< in the order in which they are made */
	size_t n;
	bool offline;     /**< without a network, but for commands with PE_PROC_NETWORK */
	bool by_landlock; /**< without namespaces: less is given, see probe/launcher/landlock.h */
	uint64_t file_bytes; /**< most that a file may hold; 0: no bound */
	unsigned processes;  /**< most at one time; 0: no bound */
};

/**
 * Confine all further commands, to namespaces of their own or by landlock, once.
 *
 * @return  PE_EUNSUPPORTED with the reason where this machine cannot: nothing has changed then; PE_ESYS
 */
int pe_launcher_confine(struct pe_launcher *launcher, const struct pe_confine_spec *spec,
			struct pe_err *err);

/**
 * Run one command to its end. A launcher runs one command at a time, for one thread; several launchers run side by side.
 * Which thread opened one does not matter, as long as it is not the last of its process to end.
 *
 * A command that fails in any way is a result, not an error. A signal that interrupts the wait restarts it.
 *
 * A launcher that was stopped, or that does not answer for a minute after the timeout, is ended with all its processes
 * (PE_PROC_UNANSWERED), and a fresh one takes its place.
 *
 * @return  PE_OK whenever the command ended, however it did; PE_ESYS when the launcher itself is gone; PE_EINVALID for a spec over 16 MiB
 */
int pe_launcher_run(struct pe_proc_result *out, struct pe_launcher *launcher,
		    const struct pe_proc_spec *spec, struct pe_err *err);

/** A short phrase in English: "exited with status 3", "killed by SIGSEGV", "timed out after 60 s". */
const char *pe_proc_describe(const struct pe_proc_result *result, char *buffer, unsigned long size);
