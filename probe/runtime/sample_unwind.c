/*
 * Unwinding by the compiler's own unwinder, linked statically so that the program's copy keeps its state. From
 * glibc 2.35 on it finds tables through _dl_find_object(), which takes no lock, so it may run in a handler.
 */
#include "probe/runtime/sample.h"

#include <unwind.h>

struct walk {
	uint64_t *addresses;
	size_t n;
	uint64_t interrupted; /* where the signal struck; frames before it are the handler's own */
	bool inside;
	bool complete;
};

static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *argument)
{
	struct walk *walk = argument;
	int exact = 0; /* an address of an instruction, not one to return to */
	uint64_t address = _Unwind_GetIPInfo(context, &exact);

	if (!walk->inside && address != walk->interrupted)
		return _URC_NO_REASON;
	walk->inside = true;
	/* The outermost frame has no address to return to: the stack was followed to its end. */
	if (address == 0) {
		walk->complete = true;
		return _URC_END_OF_STACK;
	}
	if (walk->n == PE_SAMPLE_DEPTH)
		return _URC_END_OF_STACK;
	walk->addresses[walk->n++] = exact != 0 ? address : address - 1;
	return _URC_NO_REASON;
}

size_t pe_sample_unwind(struct pe_sampler *sampler, uint64_t from, size_t n, bool *complete)
{
	/* Kept where a jump back does not take it away. */
	static _Thread_local struct walk walk;

	walk = (struct walk){
		.addresses = sampler->addresses,
		.n = n,
		.interrupted = from,
	};
	if (sigsetjmp(sampler->escape, 0) == 0) {
		sampler->unwinding = 1;
		_Unwind_Backtrace(visit, &walk);
	}
	sampler->unwinding = 0;
	if (walk.n == n)
		walk.addresses[walk.n++] = walk.interrupted;
	*complete = walk.complete;
	return walk.n;
}
