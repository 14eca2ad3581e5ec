/* Encodings: commit messages written in another one, and files whose working tree has another one. */
#include "vcs/internal.h"

#include "core/base/utf8.h"

#include <ctype.h>
#include <iconv.h>
#include <string.h>

/*
 * Any author of any commit names the encoding, and iconv(3) has converters that nobody uses and few have read
 * (CVE-2024-2961: ISO-2022-CN-EXT of glibc). These are the encodings that commits and files are written in; only letters
 * and digits are compared. A prefix that ends with '*' stands for a family.
 */
static const char *const known[] = {
	"UTF8",     "UTF16",    "UTF16LE",    "UTF16BE",     "UTF32",  "UTF32LE", "UTF32BE",
	"UCS2",     "UCS2LE",   "UCS2BE",     "UCS4",        "UCS4LE", "UCS4BE",  "ASCII",
	"USASCII",  "ISO8859*", "LATIN*",     "WINDOWS125*", "CP125*", "CP437",   "CP850",
	"CP866",    "KOI8R",    "KOI8U",      "EUCJP",       "EUCKR",  "EUCCN",   "SJIS",
	"SHIFTJIS", "CP932",    "WINDOWS31J", "GB2312",      "GBK",    "GB18030", "CP936",
	"BIG5",     "CP950",    "CP949",      "MACINTOSH",   "IBM037", "IBM1047",
};

static bool is_known(const char *name)
{
	char plain[32];
	size_t n = 0;

	for (; *name != '\0'; name++) {
		if (*name == '-' || *name == '_' || *name == '.')
			continue;
		if (!isalnum((unsigned char)*name) || n == sizeof(plain) - 1)
			return false;
		plain[n++] = (char)toupper((unsigned char)*name);
	}
	plain[n] = '\0';
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		size_t length = strlen(known[i]);
		bool family = known[i][length - 1] == '*';

		if (family ? strncmp(plain, known[i], length - 1) == 0
			   : strcmp(plain, known[i]) == 0)
			return true;
	}
	return false;
}

bool pe_vcs_convert(struct pe_text *out, const char *bytes, size_t n, const char *to,
		    const char *from)
{
	/* No encoding above takes more than four bytes for what another one has in one; and a mark at the beginning. */
	size_t most = 4 * n + 16, room = most;
	pe_auto_free char *converted = NULL;
	iconv_t state = is_known(to) && is_known(from) ? iconv_open(to, from) : (iconv_t)-1;
	char *in = (char *)bytes; /* iconv(3) takes a char ** and does not write through it */
	char *end;
	bool good;

	if (state == (iconv_t)-1)
		return false;
	end = converted = pe_realloc(NULL, most, 1);
	/* The second call writes what a stateful encoding still owes. */
	good = iconv(state, &in, &n, &end, &room) != (size_t)-1 &&
	       iconv(state, NULL, NULL, &end, &room) != (size_t)-1;
	iconv_close(state);
	if (good)
		pe_text_addn(out, converted, most - room);
	return good;
}

char *pe_vcs_utf8(struct pe_arena *arena, const char *bytes, size_t n, const char *encoding)
{
	pe_auto_text text = PE_TEXT_INIT, clean = PE_TEXT_INIT;

	if (encoding == NULL || !pe_vcs_convert(&text, bytes, n, "UTF-8", encoding)) {
		pe_text_clear(&text);
		pe_text_addn(&text, bytes, n);
	}
	pe_utf8_add(&clean, pe_text_str(&text));
	return pe_arena_strndup(arena, pe_text_str(&clean), clean.len);
}
