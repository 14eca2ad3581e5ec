/* With own_new_allocator.c: five blocks of 24 bytes by operator new, three deleted; two of 10 by malloc. */
#include <stdlib.h>

void *_Znwm(size_t size);
void _ZdlPv(void *block);

static void *volatile keep;

int main(void)
{
	for (int i = 0; i < 5; i++) {
		keep = _Znwm(24);
		if (i < 3)
			_ZdlPv(keep);
	}
	keep = malloc(10);
	keep = malloc(10);
	return keep == NULL;
}
