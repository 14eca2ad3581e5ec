/*
 * Launch: the messages between perfevo and perfevo-launch, over a socket of sequenced packets. Both ends are built
 * from one tree and run on one machine, so structures are sent as they are in memory; the greeting carries their
 * sizes, so that a launcher of another version is refused instead of misread.
 *
 * A message is a packet that begins with its head. Where the payload does not fit into it, further packets
 * of at most PE_WIRE_PACKET bytes bring the rest. Nearly every message is one packet, read at once.
 *
 * perfevo                          perfevo-launch
 *                         <-       HELLO    once, when it is ready
 * LIMIT (at most once)    ->
 *                         <-       LIMITED
 * CONFINE (at most once)  ->
 *                         <-       CONFINED
 * RUN                     ->
 * STOP (if the user asks) ->
 *                         <-       RESULT or REFUSED, exactly one for a RUN
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
	PE_WIRE_VERSION = 9,
	PE_WIRE_MAX = 16 << 20, /**< bytes of a payload */
	PE_WIRE_PACKET = 32 << 10,
	PE_WIRE_PLACES = 2, /**< folders that one command may write to where it is confined */
	PE_WIRE_FILES = 4,  /**< most open files that come with a message */
	PE_JOBS_FD =
		98, /**< a jobserver's read end in its clients; the next number is the write end */
};

enum pe_wire_kind {
	PE_WIRE_HELLO = 1, /**< struct pe_wire_hello */
	PE_WIRE_RUN,       /**< struct pe_wire_run and its strings */
	PE_WIRE_STOP,      /**< no payload; ignored unless its run is the one under way */
	PE_WIRE_RESULT,    /**< struct pe_proc_result */
	PE_WIRE_REFUSED,   /**< struct pe_wire_refused */
	PE_WIRE_CONFINE,   /**< struct pe_wire_confine and its strings */
	PE_WIRE_CONFINED,  /**< struct pe_wire_confined */
	PE_WIRE_LIMIT,     /**< struct pe_wire_limit and a string */
	PE_WIRE_LIMITED,   /**< struct pe_wire_limited */
};

enum pe_proc_flags {
	PE_PROC_FIXED_LAYOUT = 1 << 0, /**< address space layout randomisation off */
	PE_PROC_INSTRUCTIONS = 1 << 1, /**< count the tree's user-space instructions, if possible */
	PE_PROC_NETWORK = 1 << 2, /**< give it the machine's network, also where others have none */
};

/** How the command ended. */
enum pe_proc_end {
	PE_PROC_EXITED,      /**< status is the exit status */
	PE_PROC_SIGNALED,    /**< status is the signal */
	PE_PROC_TIMED_OUT,   /**< the tree was ended after timeout_ns */
	PE_PROC_OUTPUT_FULL, /**< the tree was ended for writing more than output_bytes */
	PE_PROC_STOPPED,     /**< the tree was ended because the user asked */
	/** status is the errno of execve, chdir, or open of stdin_path; or PE_PROC_BAD_INPUT: that path is no file */
	PE_PROC_NOT_STARTED,
	/** set by perfevo: the launcher did not answer, and was ended with all its processes */
	PE_PROC_UNANSWERED,
	PE_PROC_MEMORY_FULL, /**< the kernel ended the tree, which had all the memory that it may have */
	/** the tree was ended: the first folder that it may write to holds too much; status ENOSPC: the disk is nearly full */
	PE_PROC_DISK_FULL,
	PE_PROC_RECORDS_FULL, /**< the tree was ended: the second folder holds more than records_bytes */
};

enum { PE_PROC_BAD_INPUT = -1 };

/**
 * What the tree cost. Times and counts are sums over every process of the tree that has ended by the time
 * the command is over (those left behind are ended first); the peak memory is the largest single process.
 * A process whose parent ignores SIGCHLD is missing: the kernel drops its costs with it.
 */
struct pe_proc_cost {
	uint64_t wall_ns; /**< monotonic, from clone(2) to its end, without its preparation */
	uint64_t user_ns, sys_ns;
	uint64_t max_rss_bytes;
	uint64_t minor_faults, major_faults;
	uint64_t voluntary_switches, involuntary_switches;
	uint64_t instructions; /**< valid if has_instructions */
	/** through read(2), write(2) and their like, be it files, pipes or sockets; valid if has_bytes */
	uint64_t read_bytes, written_bytes;
	bool has_instructions, has_bytes;
};

struct pe_proc_result {
	enum pe_proc_end end;
	int status;
	int pid;              /**< process number that the command had; 0: not started */
	unsigned left_behind; /**< others that were there when the command ended, and were ended */
	bool processes_full;  /**< a process was refused because of the bound */
	struct pe_proc_cost cost;
};

/** Before each payload. */
struct pe_wire_head {
	uint32_t kind;   /**< enum pe_wire_kind */
	uint32_t length; /**< of the payload in bytes */
	uint64_t run;    /**< number of the run that this is about; 0 in HELLO */
};

struct pe_wire_hello {
	uint32_t version;
	/** sizeof(struct pe_wire_run), sizeof(struct pe_proc_result) */
	uint32_t run_size, result_size;
	uint32_t counts_instructions;
};

/**
 * Bounds of each command's tree from here on. After it comes a string: the cgroup in which the commands' groups are made;
 * "": the launcher's own, or the one above it.
 */
struct pe_wire_limit {
	uint64_t memory_bytes; /**< all processes together, without swap; 0: no bound */
	uint64_t disk_bytes;   /**< all that the first folder to write to holds; 0: no bound */
	uint32_t processes;    /**< with their threads, at one time; 0: no bound */
	uint32_t flags;        /**< enum pe_wire_limit_flags */
};

enum pe_wire_limit_flags {
	PE_LIMIT_MEMORY_BY_GROUP = 1 << 0, /**< by a cgroup, or not at all */
};

/**
 * How bounds are enforced: by cgroups, or by rlimits. An rlimit bounds the memory of each process alone (RLIMIT_DATA), and
 * the number of processes where a namespace counts those of the user apart.
 */
struct pe_wire_limited {
	uint32_t memory_by_group, processes_by_group;
	char what[240]; /**< why not by cgroups; "": they are */
};

/** Kind of a place below the root folder of confined commands. The values are the letters of the message. */
enum pe_wire_place {
	PE_PLACE_MACHINE =
		'm', /**< at the root itself: everything that the machine has, to be read */
	PE_PLACE_NOTHING = 'n',   /**< at the root itself: an empty folder */
	PE_PLACE_READ = 'r',      /**< the machine's, to be read */
	PE_PLACE_WRITE = 'w',     /**< the machine's, to be written to */
	PE_PLACE_OWN = 'o',       /**< a folder in memory, one for each holder */
	PE_PLACE_HIDDEN = 'h',    /**< empty, whatever the machine has there */
	PE_PLACE_CELLS = 'c',     /**< empty; the places of commands are made in it */
	PE_PLACE_LINK = 'l',      /**< a symbolic link */
	PE_PLACE_DEVICES = 'd',   /**< a small /dev */
	PE_PLACE_PROCESSES = 'p', /**< the /proc of its own processes */
	PE_PLACE_TREE =
		't', /**< mount point of the first folder that a command writes to, in place of its own path */
};

enum pe_wire_confine_flags {
	PE_CONFINE_OFFLINE = 1 << 0,  /**< without a network, unless a command asks */
	PE_CONFINE_LANDLOCK = 1 << 1, /**< by landlock, in no namespaces */
};

/**
 * Request to confine all later commands. After it come strings with their terminators: the folder where the root is
 * mounted, and n pairs of a letter with a path, and the target of a link, else "".
 */
struct pe_wire_confine {
	uint64_t file_bytes; /**< most that a file may hold; 0: no bound */
	uint32_t processes;  /**< most at one time; 0: no bound */
	uint32_t n;          /**< places */
	uint32_t flags;      /**< enum pe_wire_confine_flags */
	uint32_t reserved;   /**< 0 */
};

/** Answer to CONFINE. After an error nothing is confined, and nothing has changed. */
struct pe_wire_confined {
	int32_t error; /**< errno; 0: done */
	uint32_t counts_instructions;
	char what[240]; /**< what failed; "": done */
};

/** Open files that come with RUN, in this order. An output without a file goes to /dev/null. */
enum pe_wire_outputs {
	PE_WIRE_STDOUT = 1 << 0,
	PE_WIRE_STDERR = 1 << 1,
	PE_WIRE_ONE_STREAM = 1 << 2, /**< stderr is stdout */
	PE_WIRE_JOBS =
		1 << 3, /**< behind them the two ends of a jobserver, which become PE_JOBS_FD */
};

/**
 * A command. After it come strings with their terminators: cwd, stdin (absolute paths; "" of the latter is
 * /dev/null), PE_WIRE_PLACES folders to write to where commands are confined ("": none), argc arguments, envc
 * environment entries. The open files of its outputs come with its first packet: they have no names, so that no
 * command can replace them.
 */
struct pe_wire_run {
	uint64_t timeout_ns, output_bytes;
	uint64_t
		records_bytes; /**< most that the second folder to write to may hold; 0: no bound */
	/** owner of its folders in memory, where commands are confined; 0: that of the first folder to write to */
	uint64_t holder;
	int32_t cpu, nice;
	uint32_t flags; /**< enum pe_proc_flags */
	uint32_t argc, envc;
	uint32_t outputs; /**< enum pe_wire_outputs */
};

/** Why a run has no result. */
enum pe_wire_refusal {
	PE_WIRE_BAD_REQUEST = 1, /**< the RUN payload is malformed */
	PE_WIRE_NO_PROCESS,      /**< clone(2) failed */
	PE_WIRE_UNENDING,        /**< process `pid` could not be ended */
	PE_WIRE_NO_PLACE,        /**< a folder could not be made writable, error says why */
};

struct pe_wire_refused {
	uint32_t why;  /**< enum pe_wire_refusal */
	int32_t error; /**< errno, or 0 */
	int32_t pid;   /**< of PE_WIRE_UNENDING */
};
