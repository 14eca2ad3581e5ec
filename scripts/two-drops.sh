#!/bin/sh
# Make a git repository with the two drops of the Performance Evolution Blueprint's paper (section IV) in 80 lines of
# C: a small engine that lays out elements. In version 1.98 adjust_size_of_nesting() begins to call a costly helper,
# twice; in version 1.108 bounds() begins to hand more boxes to encompass(), which others call as well, while
# translate() becomes cheaper. Every version is tagged.
#
#   two-drops.sh DIR     DIR is made; it must not be there yet, or be empty
#
# Authors, dates and contents are fixed, so the ids of the commits are the same on every machine.
set -eu

# shellcheck source=/dev/null
. "$(dirname "$0")/made-history.sh"
made_begin two-drops "$@"

# version NUMBER SUBJECT: everything that was changed
version()
{
	tick 86400 # a version a day
	git add -A
	git commit -q --no-verify -m "$1: $2"
	git tag "v$1"
}

git init -q -b main .
cat >perfevo.yml <<'END'
build: gcc -O2 -g -fno-inline layout.c -o layout
benchmarks:
  fixed-size: ./layout 8000
END
echo layout >.gitignore
cat >layout.c <<'END'
/* Elements with others inside are laid out: sizes fixed, nesting adjusted. */
#include <stdio.h>
#include <stdlib.h>

struct box {
	struct box *next;
	long size;
};

/* The boxes of so many elements, in a list; the caller frees them. */
static struct box *list_boxes(long n)
{
	struct box *list = NULL;

	for (long i = 0; i < n; i++) {
		struct box *box = malloc(sizeof(*box));

		if (box == NULL)
			abort();
		*box = (struct box){list, i % 7};
		list = box;
	}
	return list;
}

static long sum_and_free(struct box *list)
{
	long sum = 0;

	while (list != NULL) {
		struct box *next = list->next;

		sum += list->size;
		free(list);
		list = next;
	}
	return sum;
}

/* The size of a box around so many elements. */
static long encompass(long n)
{
	return sum_and_free(list_boxes(n));
}

static long elements_not_edge(long n)
{
	return sum_and_free(list_boxes(2 * n));
}

static long adjust_size_of_nesting(long n)
{
	return encompass(n);
}

static long bounds(long n)
{
	return encompass(n);
}

static long center(long n)
{
	return encompass(n) / 2;
}

static long translate(long n)
{
	return encompass(n) + encompass(n);
}

int main(int argc, char **argv)
{
	long n = argc > 1 ? atol(argv[1]) : 10, sum = elements_not_edge(n);

	for (int i = 0; i < 50; i++)
		sum += adjust_size_of_nesting(n) + bounds(n) + center(n) + translate(n);
	printf("%ld\n", sum);
	return 0;
}
END
version 1.96 'lay out elements of fixed size'
edit layout.c 's|^/\* Elements with.*|/* Elements that have others inside are laid out: sizes fixed, nesting adjusted. */|'
version 1.97 'word the comment'
edit layout.c '/^static long adjust_size_of_nesting/,/^}/s|return encompass(n);|return encompass(n) + elements_not_edge(n) - elements_not_edge(n) / 2;|'
version 1.98 'adjust to elements that are no edges'
edit layout.c 's|i % 7|i % 11|'
version 1.99 'larger boxes'
edit layout.c 's|: 10, sum|: 20, sum|'
version 1.107 'more elements unless told'
edit layout.c '/^static long bounds/,/^}/s|encompass(n)|encompass(5 * n)|
/^static long translate/,/^}/s|encompass(n) + encompass(n)|2 * encompass(n)|'
version 1.108 'bounds of the elements around, too; translate them once'
edit layout.c 's|/\* The size of a box around so many elements. \*/|/* The size of one box around so many elements. */|'
version 1.109 'word another comment'
