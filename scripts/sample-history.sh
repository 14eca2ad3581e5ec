#!/bin/sh
# Make a git repository with a history to try perfevo on: about thirty commits of `tally`, a small C program
# that counts the words of a text it makes up. Two of the commits move its performance, and the others do what
# commits do: they change other things, document, break the build once, merge a branch.
#
#   sample-history.sh DIR     DIR is made; it must not be there yet, or be empty
#
# Authors, dates and contents are fixed, so the ids of the commits are the same on every machine. The known
# jumps are tagged: `slower` and `faster`.
set -eu

# shellcheck source=/dev/null
. "$(dirname "$0")/made-history.sh"
made_begin sample-history "$@"
day=90000 # a commit takes a day and an hour

# commit SUBJECT [BODY]: everything that was changed
commit()
{
	tick "$day"
	git add -A
	git commit -q --no-verify -m "$1" ${2:+-m "$2"}
}

git init -q -b main .

# --- 1: the program -------------------------------------------------------------------------------------

cat >Makefile <<'END'
CFLAGS = -std=c99 -O2 -Wall -Wextra -Werror=implicit-function-declaration
OBJECTS = main.o text.o check.o fold.o table.o

tally: $(OBJECTS)
	$(CC) $(CFLAGS) -o $@ $(OBJECTS)

$(OBJECTS): tally.h

clean:
	rm -f tally $(OBJECTS)

.PHONY: clean
END
printf '%s\n' '*.o' 'tally' >.gitignore
cat >README <<'END'
tally counts the words of a text.
END
cat >tally.h <<'END'
#ifndef TALLY_H
#define TALLY_H

#include <stddef.h>

/* text.c: a text of n words in lines, the same every time; the caller frees it */
char *text_make(size_t n);

/* check.c: is this run of bytes valid UTF-8? */
int check_utf8(const char *bytes, size_t n);

/* fold.c: a word in lower case, n bytes; the caller frees it */
char *fold_word(const char *word, size_t n);

/* table.c: how often each word was seen */
struct table;
struct table *table_new(void);
void table_free(struct table *table);
void table_count(struct table *table, const char *word, size_t n);
size_t table_words(const struct table *table);
size_t table_most(const struct table *table);

#endif
END
cat >text.c <<'END'
#include "tally.h"

#include <stdlib.h>
#include <string.h>

static const char *const syllables[] = {
	"ba", "Den", "fi", "gor", "ha", "Jul", "ke", "lum",
	"mi", "Nor", "pa", "rek", "so", "Tur", "vi", "wex",
};

static unsigned long next(unsigned long *state)
{
	*state = *state * 1103515245UL + 12345UL;
	return *state >> 16 & 0x7fff;
}

char *text_make(size_t n)
{
	char *text = malloc(n * 16 + 1), *end = text;
	unsigned long state = 42;

	if (!text)
		abort();
	for (size_t i = 0; i < n; i++) {
		for (unsigned long k = next(&state) % 3 + 1; k > 0; k--) {
			const char *syllable = syllables[next(&state) % 16];
			size_t length = strlen(syllable);

			memcpy(end, syllable, length);
			end += length;
		}
		*end++ = i % 12 == 11 ? '\n' : ' ';
	}
	*end = '\0';
	return text;
}
END
cat >check.c <<'END'
#include "tally.h"

/* Continuation bytes still to come after a first byte, or -1. */
static int following(unsigned char byte)
{
	if (byte < 0x80)
		return 0;
	if (byte >= 0xc2 && byte < 0xe0)
		return 1;
	if (byte >= 0xe0 && byte < 0xf0)
		return 2;
	return byte >= 0xf0 && byte < 0xf5 ? 3 : -1;
}

int check_utf8(const char *bytes, size_t n)
{
	int left = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)bytes[i];

		if (left > 0) {
			if (byte >> 6 != 2)
				return 0;
			left--;
		} else {
			left = following(byte);
			if (left < 0)
				return 0;
		}
	}
	return left == 0;
}
END
cat >fold.c <<'END'
#include "tally.h"

#include <stdlib.h>
#include <string.h>

char *fold_word(const char *word, size_t n)
{
	char *folded = malloc(n + 1);

	if (!folded)
		abort();
	for (size_t i = 0; i < n; i++)
		folded[i] = word[i] >= 'A' && word[i] <= 'Z' ? (char)(word[i] + 32) : word[i];
	folded[n] = '\0';
	return folded;
}
END
cat >table.c <<'END'
#include "tally.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS 16384

struct entry {
	char word[24];
	size_t n, count;
};

struct table {
	struct entry slots[SLOTS];
	size_t words;
};

struct table *table_new(void)
{
	struct table *table = calloc(1, sizeof(*table));

	if (!table)
		abort();
	return table;
}

void table_free(struct table *table)
{
	free(table);
}

static size_t hash(const char *word, size_t n)
{
	unsigned long h = 2166136261UL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ (unsigned char)word[i]) * 16777619UL & 0xffffffffUL;
	return h ^ h >> 15;
}

void table_count(struct table *table, const char *word, size_t n)
{
	size_t at = hash(word, n) % SLOTS;

	if (n >= sizeof(table->slots[0].word))
		return;
	while (table->slots[at].count > 0 &&
	       (table->slots[at].n != n || memcmp(table->slots[at].word, word, n) != 0))
		at = (at + 1) % SLOTS;
	if (table->slots[at].count++ == 0) {
		memcpy(table->slots[at].word, word, n);
		table->slots[at].n = n;
		table->words++;
	}
}

size_t table_words(const struct table *table)
{
	return table->words;
}

size_t table_most(const struct table *table)
{
	size_t most = 0;

	for (size_t i = 0; i < SLOTS; i++)
		if (table->slots[i].count > most)
			most = table->slots[i].count;
	return most;
}
END
cat >main.c <<'END'
#include "tally.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void count_line(struct table *table, const char *line, size_t n)
{
	size_t at = 0;

	while (at < n) {
		size_t start = at;
		char *folded;

		while (at < n && line[at] != ' ')
			at++;
		folded = fold_word(line + start, at - start);
		table_count(table, folded, at - start);
		free(folded);
		at++;
	}
}

/* Every line is checked; with a table its words are counted as well. The number of lines, 0 for a bad one. */
static size_t read_lines(const char *text, struct table *table)
{
	size_t lines = 0;

	for (const char *line = text; *line != '\0'; lines++) {
		const char *end = strchr(line, '\n');
		size_t length = end ? (size_t)(end - line) : strlen(line);

		if (!check_utf8(line, length))
			return 0;
		if (table)
			count_line(table, line, length);
		line += length + (end != NULL);
	}
	return lines;
}

int main(int argc, char **argv)
{
	int only_lines = argc > 1 && strcmp(argv[1], "-l") == 0;
	size_t n = argc > 1 + only_lines ? strtoul(argv[1 + only_lines], NULL, 10) : 1000;
	char *text = text_make(n);
	struct table *table = only_lines ? NULL : table_new();
	size_t lines = read_lines(text, table);

	printf("%zu lines\n", lines);
	if (table)
		printf("%zu words, the most frequent one %zu times\n", table_words(table),
		       table_most(table));
	table_free(table);
	free(text);
	return lines == 0;
}
END
commit 'tally: count the lines and words of a text'

# --- 2 to 10: ordinary days -----------------------------------------------------------------------------

cat >>README <<'END'

Build it with `make`, run it with `./tally N`: N is the length of the text, in words.
END
commit 'readme: say how to build and run it'

edit main.c 's/%zu words, the most/%zu different words, the most/'
commit 'main: say that the words are the different ones'

cat >>README <<'END'
`./tally -l N` only checks and counts the lines.
END
commit 'readme: mention -l'

edit text.c 's/n \* 16 + 1/n * WORD_MAX + 1/
s/^static const char \*const syll/#define WORD_MAX 16 \/* three syllables of four letters, a space, to spare *\/\
\
&/'
commit 'text: name the length of the longest word'

cat >LICENCE <<'END'
Do with this what you like. It comes without any warranty.
END
commit 'licence: say that there are no conditions'

edit check.c 's/^int check_utf8/\/* The shortest form is not demanded of three and four bytes. *\/\
&/'
commit 'check: say what is not checked'

edit Makefile 's/^\.PHONY: clean/check: tally\
	.\/tally 1000 | grep -q "84 lines"\
\
.PHONY: clean check/'
commit 'makefile: add a smoke test' 'The text is the same every time, so the number of lines is known.'

edit main.c 's/: 1000;/: DEFAULT_WORDS;/
s/^static void count_line/#define DEFAULT_WORDS 1000\
\
&/'
commit 'main: name the default'

cat >>README <<'END'

Words of 24 letters and more are not counted.
END
commit 'readme: mention the limit on words'

# --- 11: the first jump ---------------------------------------------------------------------------------

edit table.c 's/(h ^ (unsigned char)word\[i\]) \* 16777619UL & 0xffffffffUL;/(h ^ (unsigned char)word[i]) % PRIME * 16777619UL % PRIME;/
s/^#define SLOTS 16384/&\
#define PRIME 4294967291UL \/* the largest prime below 2^32 *\//'
commit 'table: take the hash modulo a prime' \
	'Fewer words should meet in one slot that way. Nobody measured what two divisions a letter cost.'
git tag slower

# --- 12 to 20: a build that breaks, a branch ------------------------------------------------------------

cat >>README <<'END'
The hash is FNV-1a, modulo a prime.
END
commit 'readme: name the hash'

edit main.c 's/^	char \*text = text_make(n);/	char *text = n > 0 ? text_make(n) : usage(argv[0]);/'
commit 'main: print the usage for an empty text'

edit main.c 's/^int main(/static char *usage(const char *name)\
{\
	fprintf(stderr, "usage: %s [-l] [N]\\n", name);\
	exit(2);\
}\
\
&/'
commit 'main: add the usage that the last commit forgot' 'It did not build without it.'

edit .gitignore 's/^tally$/&\
*.tmp/'
commit 'gitignore: leave out temporary files'

branch_from=$(git rev-parse HEAD)
git checkout -q -b news
printf '%s\n' 'News' '' '* Words are told apart without regard to case.' >NEWS
commit 'news: start to keep them'
printf '%s\n' '* The usage is printed for an empty text.' >>NEWS
commit 'news: mention the usage'
git checkout -q main
[ "$(git rev-parse HEAD)" = "$branch_from" ]

edit LICENCE 's/ any warranty/ warranty of any kind/'
commit 'licence: reword the warranty'

tick "$day"
git merge -q --no-ff --no-verify -m 'merge the news' news
git branch -q -d news

edit Makefile 's/^clean:/help:\
	@echo "make, make check, make clean"\
\
&/
s/^\.PHONY: clean check/& help/'
commit 'makefile: add help'

cat >>README <<'END'
`make help` lists the targets.
END
commit 'readme: mention the help'

edit NEWS 's/^\* Words/* Lines are checked for valid UTF-8.\
&/'
commit 'news: mention the check'

# --- 21: the second jump --------------------------------------------------------------------------------

edit fold.c '/^#include <std/d
/^#include <string/d
s/^char \*fold_word(const char \*word, size_t n)/void fold_word(char *folded, const char *word, size_t n)/
/^	char \*folded = malloc/,/^		abort/d
/^	folded\[n\]/d
/^	return/d'
edit fold.c '/^$/{N
/^\n$/D
}
/^{$/{N
s/^{\n$/{/
}'
edit tally.h 's/^\/\* fold\.c: .*/\/* fold.c: a word of n bytes in lower case; folded has room for them *\//
s/^char \*fold_word(const/void fold_word(char *folded, const/
s/^struct table;/#define WORD_ROOM 24 \/* longer words are not counted *\/\
&/'
edit table.c 's/char word\[24\]/char word[WORD_ROOM]/'
edit main.c 's/^		char \*folded;/		char folded[WORD_ROOM];/
/^		folded = fold_word/d
/^		free(folded);/d
s/^		table_count(table, folded, at - start);/		if (at - start < sizeof(folded)) {\
			fold_word(folded, line + start, at - start);\
			table_count(table, folded, at - start);\
		}/'
commit 'fold: use a buffer on the stack in place of one on the heap' \
	'Every word took a malloc() and a free(), though words too long for the table are not counted.'
git tag faster

# --- 22 to 31: ordinary days again ----------------------------------------------------------------------

cat >>NEWS <<'END'
* Words no longer travel through the heap.
END
commit 'news: mention the buffer'

edit tally.h 's/^#endif$/#endif \/* TALLY_H *\//'
commit 'header: close the guard with its name'

edit README 's/^tally counts the words of a text\./tally counts the lines and the different words of a text./'
commit 'readme: say what is counted'

edit main.c 's/^#define DEFAULT_WORDS 1000$/#define DEFAULT_WORDS 10000/'
commit 'main: make a longer text by default'

# shellcheck disable=SC2016 # make's variable, not the shell's
edit Makefile 's/^	rm -f tally/	$(RM) tally/'
# shellcheck disable=SC2016 # likewise
commit 'makefile: use $(RM)'

cat >>README <<'END'

The text is made up of sixteen syllables by a linear congruential generator.
END
commit 'readme: say where the text comes from'

edit text.c 's/^static unsigned long next/\/* The constants of the ISO C example of rand(). *\/\
&/'
commit 'text: say where the constants come from'

edit Makefile 's/ | grep -q/ | grep -qx/'
commit 'makefile: match the whole line in the smoke test'

cat >perfevo.yml <<'END'
# How perfevo builds this program and what it measures; see README.md of perfevo.
build:
  - make

defaults:
  repeats: 20

benchmarks:
  words: ./tally 500000
  lines: ./tally -l 1000000
END
commit 'perfevo: say how to build the program and what to measure'
