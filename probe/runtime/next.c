#include "probe/runtime/next.h"

#include <string.h>

extern PE_HIDDEN struct pe_next __start_pe_next[], __stop_pe_next[];

void pe_next_find(struct pe_next *one)
{
	void *symbol = pe_next_symbol(one->name);

	memcpy(one->at, &symbol, sizeof(symbol));
	__atomic_store_n(&one->known, true, __ATOMIC_RELEASE);
}

void pe_next_find_all(void)
{
	for (struct pe_next *one = __start_pe_next; one < __stop_pe_next; one++)
		if (!one->known)
			pe_next_find(one);
}
