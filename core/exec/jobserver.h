/*
 * Jobserver: one limit of jobs for builds side by side, as GNU make keeps it (GNU make manual, "Sharing Job Slots with GNU
 * make"). A pipe holds a byte for each job that may begin; who begins one beside its first takes a byte, and puts it back at
 * its end. make, from 4.2 on, and cargo do so; so a build that links, or configures itself, leaves its jobs to the others.
 *
 * Each build has one job without asking. A build that begins takes the byte of that: where clients have them all it stays
 * owed, and is taken as soon as one is put back. A client that is killed loses its bytes: they are there again once
 * nothing is at work any more. What a build writes or reads there beyond that changes how fast others are, not what they
 * make; where one has reason to slow down another, there is none (struct pe_session: apart).
 */
#pragma once

#include "core/base/err.h"

/** For one thread. */
struct pe_jobserver {
	int ends[2]; /**< that builds have as PE_JOBS_FD; -1: there is none */
	int own[2];  /**< the same pipe, for perfevo, which never waits at it */
	unsigned jobs;
	unsigned builds; /**< at work */
	unsigned owed;   /**< of them, those whose byte a client has */
	unsigned spare;  /**< bytes of builds that are over */
};

/** One that is not open. */
#define PE_JOBSERVER_INIT                                                                          \
	{                                                                                          \
		.ends = {-1, -1}, .own = { -1, -1 }                                                \
	}

/**
 * Open one.
 *
 * @param jobs  of all builds together; not 0
 * @return      PE_ESYS: builds keep to their shares (core/exec/parallel_builds.h)
 */
int pe_jobserver_open(struct pe_jobserver *out, unsigned jobs, struct pe_err *err);

/** Close it; no build may be running. One that is not open is allowed. */
void pe_jobserver_close(struct pe_jobserver *server);

/** The ends for builds; NULL: it is not open. */
const int *pe_jobserver_ends(const struct pe_jobserver *server);

/** A build begins. The first of all finds as many bytes as there should be, whatever became of those before. */
void pe_jobserver_enter(struct pe_jobserver *server);

/** A build is over; the next one may have its job. */
void pe_jobserver_leave(struct pe_jobserver *server);

/**
 * Put back what no build took since, and take what is owed as far as it is there. Before waiting for a build.
 *
 * @return  a descriptor that is readable when more of it can be taken; -1: nothing is owed
 */
int pe_jobserver_settle(struct pe_jobserver *server);
