#include "core/base/text.h"

#include "core/base/files.h"

#include "core/base/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void reserve(struct pe_text *text, size_t more)
{
	size_t need = text->len + more + 1;

	if (need <= text->capacity)
		return;
	text->capacity = need > 2 * text->capacity ? need + 32 : 2 * text->capacity;
	text->data = pe_realloc(text->data, text->capacity, 1);
}

void pe_text_addn(struct pe_text *text, const char *bytes, size_t n)
{
	reserve(text, n);
	if (n != 0)
		memcpy(text->data + text->len, bytes, n);
	text->len += n;
	text->data[text->len] = '\0';
}

void pe_text_add(struct pe_text *text, const char *string)
{
	pe_text_addn(text, string, strlen(string));
}

void pe_text_addc(struct pe_text *text, char character)
{
	pe_text_addn(text, &character, 1);
}

void pe_text_addv(struct pe_text *text, const char *format, va_list args)
{
	va_list again;
	int n;

	va_copy(again, args);
	n = vsnprintf(NULL, 0, format, args);
	if (n > 0) {
		reserve(text, (size_t)n);
		vsnprintf(text->data + text->len, (size_t)n + 1, format, again);
		text->len += (size_t)n;
	}
	va_end(again);
}

void pe_text_addf(struct pe_text *text, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	pe_text_addv(text, format, args);
	va_end(args);
}

void pe_text_add_quoted(struct pe_text *text, const char *word)
{
	pe_text_addc(text, '\'');
	for (; *word != '\0'; word++) {
		if (*word == '\'')
			pe_text_add(text, "'\\''");
		else
			pe_text_addc(text, *word);
	}
	pe_text_addc(text, '\'');
}

void pe_text_add_word(struct pe_text *text, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "_./:=@%+,-";

	if (word[0] != '\0' && word[strspn(word, plain)] == '\0')
		pe_text_add(text, word);
	else
		pe_text_add_quoted(text, word);
}

void pe_text_add_clean_path(struct pe_text *text, const char *path)
{
	for (const char *at = path; *at != '\0';) {
		const size_t n = strcspn(at, "/");

		if (n == 2 && at[0] == '.' && at[1] == '.' && text->len > 0) {
			while (text->len > 0 && text->data[--text->len] != '/')
				;
			text->data[text->len] = '\0';
		} else if (n > 0 && !(n == 1 && at[0] == '.')) {
			if (text->len > 0 || path[0] == '/')
				pe_text_addc(text, '/');
			pe_text_addn(text, at, n);
		}
		at += n + (at[n] == '/');
	}
}

void pe_text_add_number(struct pe_text *text, uint64_t number)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	pe_text_addn(text, digits + at, sizeof(digits) - at);
}

bool pe_ends_in(const char *string, const char *ending)
{
	size_t n = strlen(string), m = strlen(ending);

	return n > m && strcmp(string + n - m, ending) == 0;
}

bool pe_starts_with(const char *string, const char *start)
{
	return strncmp(string, start, strlen(start)) == 0;
}

const char *pe_path_below(const char *path, const char *folder)
{
	size_t n = strlen(folder);

	if (n == 0)
		return NULL;
	while (n > 0 && folder[n - 1] == '/')
		n--;
	if (strncmp(path, folder, n) != 0 || (path[n] != '/' && path[n] != '\0'))
		return NULL;
	return path + n + strspn(path + n, "/");
}

const char *pe_path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

const char *pe_text_str(const struct pe_text *text)
{
	return text->data != NULL ? text->data : "";
}

void pe_text_clear(struct pe_text *text)
{
	text->len = 0;
	if (text->data != NULL)
		text->data[0] = '\0';
}

void pe_text_release(struct pe_text *text)
{
	if (text == NULL)
		return;
	free(text->data);
	*text = (struct pe_text)PE_TEXT_INIT;
}

int pe_text_read_fd(struct pe_text *text, int fd)
{
	ssize_t got;

	do {
		reserve(text, 64 * 1024);
		got = read(fd, text->data + text->len, 64 * 1024);
		if (got > 0)
			text->len += (size_t)got;
	} while (got > 0 || (got < 0 && errno == EINTR));
	text->data[text->len] = '\0';
	return got < 0 ? -1 : 0;
}

int pe_text_read_file(struct pe_text *text, const char *path, struct pe_err *err)
{
	pe_auto_fd fd = pe_files_open(path);

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return pe_fail(err, PE_ENOTFOUND, "%s: no such file", path);
	if (fd < 0 || pe_text_read_fd(text, fd) < 0)
		return pe_fail_errno(err, "cannot read %s", path);
	return PE_OK;
}

int pe_text_write_fd(const struct pe_text *text, int fd)
{
	return pe_files_write(fd, text->data, text->len);
}
