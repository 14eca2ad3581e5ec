/*
 * Sampling from within: each thread has a clock that sends it a signal, and the handler unwinds the stack and
 * counts it in the thread's own tree. The clock ticks once: the handler starts it again when it is done.
 */
#include "probe/runtime/sample.h"

#include "probe/formats/machine.h"

#include <errno.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local struct pe_sampler *self;
static pthread_key_t ending;
static bool has_key;

struct pe_sampler *pe_sample_self(void)
{
	return self;
}

static void take(struct pe_sampler *sampler, const siginfo_t *info, const void *context)
{
	struct pe_samples_header *file = pe_sample_file();
	uint32_t weight = pe_sample_clock_weigh(&sampler->clock, info, context);
	bool complete;
	size_t n;

	if (weight == 0 || sampler->busy)
		return;
	n = pe_sample_unwind(sampler, pe_machine_pc(context), 0, &complete);
	if (!pe_sample_tree_add(&sampler->tree, sampler->addresses, n, complete, weight))
		__atomic_fetch_add(&file->lost, weight, __ATOMIC_RELAXED);
}

static void on_signal(int signal, siginfo_t *info, void *context)
{
	struct pe_sampler *sampler = self;
	int error = errno;

	if (sampler == NULL || !pe_sample_clock_owns(&sampler->clock, info)) {
		pe_sample_hooks_forward(signal, info, context);
		return;
	}
	take(sampler, info, context);
	pe_sample_clock_rearm(&sampler->clock);
	errno = error;
}

static void end(void *argument)
{
	struct pe_sampler *sampler = argument;

	pe_sample_clock_stop(&sampler->clock);
	pe_sample_waits_look(sampler);
	self = NULL;
	if (sampler->altstack)
		pe_sample_hooks_altstack_drop();
	pe_sample_tree_release(&sampler->tree);
	munmap(sampler, sizeof(*sampler));
}

/* Of a sampler that is all zero but for its alternate stack. */
static void begin(struct pe_sampler *sampler)
{
	struct pe_samples_header *file = pe_sample_file();

	sampler->tree.thread = __atomic_fetch_add(&file->threads, 1, __ATOMIC_RELAXED);
	sampler->tree.tid = (uint32_t)syscall(SYS_gettid);
	sampler->busy = 0;
	pe_sample_waits_begin(sampler);
	if (!pe_sample_clock_start(&sampler->clock, file->interval_ns))
		__atomic_fetch_or(&file->flags, PE_SAMPLES_THREADS_LOST, __ATOMIC_RELAXED);
}

void pe_sample_thread_begin(void)
{
	struct pe_samples_header *file = pe_sample_file();
	struct pe_sampler *sampler;
	int error = errno;

	if (file == NULL || self != NULL)
		return;
	sampler = mmap(NULL, sizeof(*sampler), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);
	if (sampler == MAP_FAILED) {
		__atomic_fetch_or(&file->flags, PE_SAMPLES_THREADS_LOST, __ATOMIC_RELAXED);
		errno = error;
		return;
	}
	sampler->altstack = pe_sample_hooks_altstack(sampler);
	self = sampler;
	if (has_key)
		pthread_setspecific(ending, sampler);
	begin(sampler);
	errno = error;
}

/*
 * The child has its parent's tree in memory and nothing that ticks: timers are not inherited, and perf
 * events are the parent's. It begins a file and a tree of its own.
 */
static void in_child(void)
{
	int error = errno;

	if (pe_sample_file() == NULL)
		return;
	if (self != NULL) {
		pe_sample_clock_forget(&self->clock);
		pe_sample_tree_release(&self->tree);
	}
	pe_sample_file_begin(true);
	if (pe_sample_file() != NULL && self != NULL)
		begin(self);
	else
		pe_sample_thread_begin();
	errno = error;
}

__attribute__((constructor)) static void start(void)
{
	int error = errno;

	pe_sample_file_begin(false);
	if (pe_sample_file() != NULL) {
		has_key = pthread_key_create(&ending, end) == 0;
		pe_sample_hooks_install(on_signal);
		pthread_atfork(NULL, NULL, in_child);
		pe_sample_thread_begin();
	}
	errno = error;
}

__attribute__((destructor)) static void finish(void)
{
	if (self != NULL && pe_sample_file() != NULL)
		pe_sample_waits_look(self);
}
