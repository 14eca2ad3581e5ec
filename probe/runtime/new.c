/*
 * C++'s operator new and delete. Those of libstdc++ and libc++ call malloc(3) and free(3), and are counted
 * there. Allocators that bring operators of their own (tcmalloc, jemalloc) go straight to their insides: such
 * a call is counted here, which is safe because the operator comes from the library that malloc comes from.
 *
 * An operator may throw. Nothing is held across the call to the next definition, so the exception passes
 * through.
 *
 * A program may load its C++ library for a plug-in alone (RTLD_LOCAL): the plug-in finds our operators, and
 * there is no next one to be found from here. They are malloc and free then, as they are in libstdc++.
 *
 *   struct route   where one operator leads
 */
#include "probe/runtime/alloc.h"
#include "probe/runtime/touch.h"

#include <stdlib.h>
#include <string.h>

/* Mangled names: m is unsigned long, j is unsigned int, whichever size_t is. */
#if UINTPTR_MAX > 0xffffffffu
#define SIZED(before, after) before##m##after
#else
#define SIZED(before, after) before##j##after
#endif
#define NAME_OF(symbol)  NAME_OF_(symbol)
#define NAME_OF_(symbol) #symbol

struct route {
	bool known;
	bool direct; /* the next operator is the allocator's own, and may not call malloc */
	void *next;  /* NULL: none */
};

static void find(struct route *route, const char *name)
{
	if (__atomic_load_n(&route->known, __ATOMIC_ACQUIRE))
		return;
	route->next = pe_next_symbol(name);
	route->direct = route->next != NULL && pe_alloc_provides(route->next);
	__atomic_store_n(&route->known, true, __ATOMIC_RELEASE);
}

/* Without a next operator. Only the nothrow one can report that there is no memory. */
static void *plain_new(size_t size, size_t alignment, bool nothrow)
{
	void *block = NULL;

	if (size == 0)
		size = 1;
	if (alignment <= _Alignof(max_align_t))
		block = malloc(size);
	else if (posix_memalign(&block, alignment, size) != 0)
		block = NULL;
	if (block == NULL && !nothrow)
		abort();
	return block;
}

/* Whether a call has to be counted here, should it go past malloc. */
static bool watched(const struct route *route)
{
	return route->direct && !pe_alloc_inside();
}

/* A block came: was it counted on its way? */
static void *came(void *block, size_t size, bool watch, uint64_t calls)
{
	if (watch && block != NULL && pe_alloc_calls() == calls)
		pe_alloc_count(block, size);
	return block;
}

#define NEW(symbol, parameters, arguments, alignment, nothrow)                                     \
	PE_PUBLIC void *symbol parameters;                                                         \
	void *symbol parameters                                                                    \
	{                                                                                          \
		static struct route route;                                                         \
		uint64_t calls = pe_alloc_calls();                                                 \
		void *(*next)parameters;                                                           \
                                                                                                   \
		find(&route, NAME_OF(symbol));                                                     \
		if (route.next == NULL)                                                            \
			return plain_new(size, alignment, nothrow);                                \
		memcpy(&next, &route.next, sizeof(next));                                          \
		return came(next arguments, size, watched(&route), calls);                         \
	}

#define DELETE(symbol, parameters, arguments)                                                      \
	PE_PUBLIC void symbol parameters;                                                          \
	void symbol parameters                                                                     \
	{                                                                                          \
		static struct route route;                                                         \
		uint64_t calls = pe_alloc_calls();                                                 \
		void(*next) parameters;                                                            \
		int64_t bytes = 0;                                                                 \
                                                                                                   \
		find(&route, NAME_OF(symbol));                                                     \
		if (route.next == NULL) {                                                          \
			free(block);                                                               \
			return;                                                                    \
		}                                                                                  \
		if (block != NULL && watched(&route))                                              \
			bytes = pe_alloc_usable(block);                                            \
		memcpy(&next, &route.next, sizeof(next));                                          \
		next arguments;                                                                    \
		if (block != NULL && watched(&route) && pe_alloc_calls() == calls)                 \
			pe_alloc_count_free(bytes);                                                \
	}

/* Parameters of operators: size, alignment, block, and the nothrow tag. */
#define S   (size_t size)
#define SN  (size_t size, const void *nothrow)
#define SA  (size_t size, size_t alignment)
#define SAN (size_t size, size_t alignment, const void *nothrow)
#define B   (void *block)
#define BS  (void *block, size_t size)
#define BA  (void *block, size_t alignment)
#define BSA (void *block, size_t size, size_t alignment)
#define BN  (void *block, const void *nothrow)
#define BAN (void *block, size_t alignment, const void *nothrow)

NEW(SIZED(_Znw, ), S, (size), 1, false)
NEW(SIZED(_Zna, ), S, (size), 1, false)
NEW(SIZED(_Znw, RKSt9nothrow_t), SN, (size, nothrow), 1, true)
NEW(SIZED(_Zna, RKSt9nothrow_t), SN, (size, nothrow), 1, true)
NEW(SIZED(_Znw, St11align_val_t), SA, (size, alignment), alignment, false)
NEW(SIZED(_Zna, St11align_val_t), SA, (size, alignment), alignment, false)
NEW(SIZED(_Znw, St11align_val_tRKSt9nothrow_t), SAN, (size, alignment, nothrow), alignment, true)
NEW(SIZED(_Zna, St11align_val_tRKSt9nothrow_t), SAN, (size, alignment, nothrow), alignment, true)

DELETE(_ZdlPv, B, (block))
DELETE(_ZdaPv, B, (block))
DELETE(SIZED(_ZdlPv, ), BS, (block, size))
DELETE(SIZED(_ZdaPv, ), BS, (block, size))
DELETE(_ZdlPvSt11align_val_t, BA, (block, alignment))
DELETE(_ZdaPvSt11align_val_t, BA, (block, alignment))
DELETE(SIZED(_ZdlPv, St11align_val_t), BSA, (block, size, alignment))
DELETE(SIZED(_ZdaPv, St11align_val_t), BSA, (block, size, alignment))
DELETE(_ZdlPvRKSt9nothrow_t, BN, (block, nothrow))
DELETE(_ZdaPvRKSt9nothrow_t, BN, (block, nothrow))
DELETE(_ZdlPvSt11align_val_tRKSt9nothrow_t, BAN, (block, alignment, nothrow))
DELETE(_ZdaPvSt11align_val_tRKSt9nothrow_t, BAN, (block, alignment, nothrow))
