#include "core/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* In parentheses: scripts/analyze.py has macros of them. */
int(pe_fail)(struct pe_err *err, enum pe_code code, const char *format, ...)
{
	if (err != NULL) {
		va_list args;

		err->code = code;
		va_start(args, format);
		vsnprintf(err->message, sizeof(err->message), format, args);
		va_end(args);
	}
	return code;
}

int(pe_fail_errno)(struct pe_err *err, const char *format, ...)
{
	int cause = errno;
	enum pe_code code = cause == ENOSPC || cause == EDQUOT ? PE_EFULL : PE_ESYS;

	if (err != NULL) {
		va_list args;
		size_t used;

		err->code = code;
		va_start(args, format);
		vsnprintf(err->message, sizeof(err->message), format, args);
		va_end(args);
		used = strlen(err->message);
		snprintf(err->message + used, sizeof(err->message) - used, ": %s", strerror(cause));
	}
	errno = cause;
	return code;
}

void pe_err_context(struct pe_err *err, const char *format, ...)
{
	char sentence[sizeof(err->message)];
	va_list args;
	size_t used, rest;

	if (err == NULL || err->code == PE_OK)
		return;
	memcpy(sentence, err->message, sizeof(sentence));
	va_start(args, format);
	vsnprintf(err->message, sizeof(err->message) - 2, format, args);
	va_end(args);
	used = strlen(err->message);
	memcpy(err->message + used, ": ", sizeof(": "));
	used += 2;
	rest = strlen(sentence);
	if (rest > sizeof(err->message) - used - 1)
		rest = sizeof(err->message) - used - 1;
	memcpy(err->message + used, sentence, rest);
	err->message[used + rest] = '\0';
}
