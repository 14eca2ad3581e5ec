#include "tests/support/fake_program.h"

int fake_main(void)
{
	return fake_parse() + fake_emit();
}

int fake_parse(void)
{
	return fake_scan();
}

int fake_scan(void)
{
	return 1;
}

int fake_emit(void)
{
	return 2;
}
