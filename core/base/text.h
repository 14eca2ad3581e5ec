/*
 * Text: a growing, always terminated string of bytes. Every document perfevo writes is built in one.
 */
#pragma once

#include "core/base/err.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Zero-initialise with PE_TEXT_INIT; pe_text_release() frees it. data is NULL while nothing was added. */
struct pe_text {
	char *data;
	size_t len; /**< bytes before the terminator */
	size_t capacity;
};

#define PE_TEXT_INIT                                                                               \
	{                                                                                          \
		NULL, 0, 0                                                                         \
	}

/** Append a string. */
void pe_text_add(struct pe_text *text, const char *string);

/** Append n bytes, whatever they are. */
void pe_text_addn(struct pe_text *text, const char *bytes, size_t n);

/** Append one character. */
void pe_text_addc(struct pe_text *text, char character);

/** Append formatted text. */
void pe_text_addf(struct pe_text *text, const char *format, ...) PE_PRINTF(2, 3);
/** The same with a list of arguments, which is used up. */
void pe_text_addv(struct pe_text *text, const char *format, va_list args) PE_PRINTF(2, 0);

/** Append a word in single quotes, as a shell reads it. */
void pe_text_add_quoted(struct pe_text *text, const char *word);

/** Append a word that a shell is to read, in quotes where it holds more than plain characters. */
void pe_text_add_word(struct pe_text *text, const char *word);

/** The string so far; "" while empty. Borrowed until the next change. */
const char *pe_text_str(const struct pe_text *text);

/** Forget the content, keep the memory. */
void pe_text_clear(struct pe_text *text);

/** Free the memory; the text is empty and usable again. */
void pe_text_release(struct pe_text *text);

/** A local text that is released where its block is left, whichever way: `pe_auto_text out = PE_TEXT_INIT;` */
#define pe_auto_text __attribute__((cleanup(pe_text_release))) struct pe_text

/**
 * Append a path without "." and with ".." resolved as text, as far as it does not lead out: for paths that a compiler
 * recorded, which need not exist here. `text` must be empty.
 */
void pe_text_add_clean_path(struct pe_text *text, const char *path);

/** Append digits. */
void pe_text_add_number(struct pe_text *text, uint64_t number);

/** Whether a string is longer than an ending and has it. */
bool pe_ends_in(const char *string, const char *ending);

/** Whether a string begins with another one. */
bool pe_starts_with(const char *string, const char *start);

/** The part of a path that follows a folder: "" of the folder itself; NULL: the path is elsewhere, or the folder "". */
const char *pe_path_below(const char *path, const char *folder);

/** The file name of a path, borrowed from it: what follows the last slash; all of a path that ends with one. */
const char *pe_path_name(const char *path);

/** Append all that an open file still has. 0; -1 with errno. */
int pe_text_read_fd(struct pe_text *text, int fd);
/** Write the whole text to an open file. 0; -1 with errno. */
int pe_text_write_fd(const struct pe_text *text, int fd);

/** Append a whole file. PE_ENOTFOUND when it does not exist, else PE_ESYS. */
int pe_text_read_file(struct pe_text *text, const char *path, struct pe_err *err);

/**
 * Write a file of perfevo's own as a whole (core/base/outfile.h): readers see the old or the new, never a part, after a
 * power cut, too. A link of that name is replaced. What a user named is written by pe_outfile_write_file().
 */
int pe_text_write_file(const struct pe_text *text, const char *path, struct pe_err *err);

/** The same with another mode than 0666, which the process's umask lessens. */
int pe_text_write_file_as(const struct pe_text *text, const char *path, mode_t mode,
			  struct pe_err *err);
