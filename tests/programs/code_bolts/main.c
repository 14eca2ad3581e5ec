/* Calls the library of bolts that was linked to it. */
#include <stdio.h>

int bolts_length(int kind);

int main(int argc, char **argv)
{
	(void)argv;
	return printf("%d\n", bolts_length(argc)) < 0;
}
