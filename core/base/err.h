/*
 * Errors: an int result names the cause a caller may act on, struct pe_err carries the sentence for the
 * user. The sentence is written once, where the fact is known, and given a noun on the way up.
 */
#pragma once

#define PE_PRINTF(text, rest) __attribute__((format(printf, text, rest)))

/** Why a function failed. Zero is success; every failure is negative. */
enum pe_code {
	PE_OK = 0,
	PE_ENOTFOUND = -1, /**< what was asked for does not exist */
	PE_EINVALID = -2,  /**< the user's input is wrong: config, option, file */
	PE_ESYS = -3,      /**< the operating system refused */
	PE_EVCS = -4,      /**< the repository cannot be read */
	PE_ESTORE = -5,    /**< the database cannot be read or written */
	PE_ESTOPPED = -6,  /**< the user asked to stop */
	/** understood, and not possible here; the sentence names the way out */
	PE_EUNSUPPORTED = -7,
	PE_EFULL = -8, /**< no space left where something must be written */
	PE_EBUSY = -9, /**< somebody else holds it */
};

/** The sentence for the user. Zero-initialise with PE_ERR_INIT; a later failure overwrites. */
struct pe_err {
	enum pe_code code;
	char message[1024]; /**< one sentence, without a trailing newline */
};

#define PE_ERR_INIT                                                                                \
	{                                                                                          \
		PE_OK,                                                                             \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

/** Return from the function where a call fails. */
#define PE_TRY(call)                                                                               \
	do {                                                                                       \
		const int rc_of_call = (call);                                                     \
		if (rc_of_call != PE_OK)                                                           \
			return rc_of_call;                                                         \
	} while (0)

/**
 * Record a failure.
 *
 * @param err  where the sentence goes; NULL drops it
 * @return     code, so that `return pe_fail(...)` reads as one step
 */
int pe_fail(struct pe_err *err, enum pe_code code, const char *format, ...) PE_PRINTF(3, 4);

/** Like pe_fail(), followed by ": " and the text of errno; ENOSPC and EDQUOT turn the code into PE_EFULL. */
int pe_fail_errno(struct pe_err *err, const char *format, ...) PE_PRINTF(2, 3);

/** Put "<noun>: " before the recorded sentence. Does nothing without a recorded failure. */
void pe_err_context(struct pe_err *err, const char *format, ...) PE_PRINTF(2, 3);
