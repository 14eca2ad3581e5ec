#include "probe/launcher/filter.h"

#include "probe/launcher/descriptor.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/*
 * System calls that commands may use. All others do not exist (ENOSYS): keys, which namespaces do not separate, bpf, io_uring,
 * userfaultfd, fanotify, handles of files, mounts, modules, clocks, the kernel's log, and those of later kernels.
 */
static const char allowed[] =
	"_llseek _newselect accept accept4 access alarm arch_prctl arm_fadvise64_64 bind "
	"breakpoint brk cacheflush cachestat capget capset chdir chmod chown chown32 "
	"clock_getres clock_getres_time64 clock_gettime clock_gettime64 clock_nanosleep "
	"clock_nanosleep_time64 clone clone3 close close_range connect copy_file_range creat "
	"dup dup2 dup3 epoll_create epoll_create1 epoll_ctl epoll_pwait epoll_pwait2 "
	"epoll_wait eventfd eventfd2 execve execveat exit exit_group faccessat faccessat2 "
	"fadvise64 fallocate fchdir fchmod fchmodat fchmodat2 fchown fchown32 fchownat fcntl "
	"fcntl64 fdatasync fgetxattr flistxattr flock fork fremovexattr fsetxattr fstat "
	"fstat64 fstatat64 fstatfs fstatfs64 fsync ftruncate ftruncate64 futex futex_requeue "
	"futex_time64 futex_wait futex_waitv futex_wake futimesat get_mempolicy "
	"get_robust_list get_thread_area getcpu getcwd getdents getdents64 getegid getegid32 "
	"geteuid geteuid32 getgid getgid32 getgroups getgroups32 getitimer getpeername "
	"getpgid getpgrp getpid getppid getpriority getrandom getresgid getresgid32 getresuid "
	"getresuid32 getrlimit getrusage getsid getsockname getsockopt gettid gettimeofday "
	"getuid getuid32 getxattr getxattrat inotify_add_watch inotify_init inotify_init1 "
	"inotify_rm_watch io_cancel io_destroy io_getevents io_pgetevents "
	"io_pgetevents_time64 io_setup io_submit ioctl ioprio_get ioprio_set ipc kcmp kill "
	"landlock_add_rule landlock_create_ruleset landlock_restrict_self lchown lchown32 "
	"lgetxattr link linkat listen listmount listxattr listxattrat llistxattr lremovexattr "
	"lseek lsetxattr lstat lstat64 madvise map_shadow_stack mbind membarrier memfd_create "
	"migrate_pages mincore mkdir mkdirat mknod mknodat mlock mlock2 mlockall mmap mmap2 "
	"move_pages mprotect mq_getsetattr mq_notify mq_open mq_timedreceive "
	"mq_timedreceive_time64 mq_timedsend mq_timedsend_time64 mq_unlink mremap mseal "
	"msgctl msgget msgrcv msgsnd msync munlock munlockall munmap nanosleep newfstatat "
	"nice oldfstat oldlstat oldolduname oldstat olduname open openat openat2 pause "
	"perf_event_open personality pidfd_open pidfd_send_signal pipe pipe2 pkey_alloc "
	"pkey_free pkey_mprotect poll ppoll ppoll_time64 prctl pread64 preadv preadv2 "
	"prlimit64 process_madvise process_mrelease process_vm_readv process_vm_writev "
	"pselect6 pselect6_time64 ptrace pwrite64 pwritev pwritev2 read readahead readdir "
	"readlink readlinkat readv recvfrom recvmmsg recvmmsg_time64 recvmsg remap_file_pages "
	"removexattr removexattrat rename renameat renameat2 restart_syscall rmdir rseq "
	"rt_sigaction rt_sigpending rt_sigprocmask rt_sigqueueinfo rt_sigreturn rt_sigsuspend "
	"rt_sigtimedwait rt_sigtimedwait_time64 rt_tgsigqueueinfo sched_get_priority_max "
	"sched_get_priority_min sched_getaffinity sched_getattr sched_getparam "
	"sched_getscheduler sched_rr_get_interval sched_rr_get_interval_time64 "
	"sched_setaffinity sched_setattr sched_setparam sched_setscheduler sched_yield "
	"seccomp select semctl semget semop semtimedop semtimedop_time64 sendfile sendfile64 "
	"sendmmsg sendmsg sendto set_mempolicy set_mempolicy_home_node set_robust_list "
	"set_thread_area set_tid_address set_tls setfsgid setfsgid32 setfsuid setfsuid32 "
	"setgid setgid32 setgroups setgroups32 setitimer setpgid setpriority setregid "
	"setregid32 setresgid setresgid32 setresuid setresuid32 setreuid setreuid32 setrlimit "
	"setsid setsockopt setuid setuid32 setxattr setxattrat sgetmask shmat shmctl shmdt "
	"shmget shutdown sigaction sigaltstack signal signalfd signalfd4 sigpending "
	"sigprocmask sigreturn sigsuspend splice ssetmask stat stat64 statfs statfs64 "
	"statmount statx symlink symlinkat sync sync_file_range sync_file_range2 syncfs "
	"sysinfo tee tgkill time timer_create timer_delete timer_getoverrun timer_gettime "
	"timer_gettime64 timer_settime timer_settime64 timerfd_create timerfd_gettime "
	"timerfd_gettime64 timerfd_settime timerfd_settime64 times tkill truncate truncate64 "
	"ugetrlimit umask uname unlink unlinkat unshare utime utimensat utimensat_time64 "
	"utimes vfork vmsplice wait4 waitid waitpid write writev";

static const int families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

/* Protocols of the internet, since others load modules of the kernel. Of netlink, addresses and routes. */
static const int protocols[] = {0, IPPROTO_TCP, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6};

enum { MOST_FAMILIES = 64, MOST_NAME = 64 };

static bool allow_names(scmp_filter_ctx filter)
{
	char name[MOST_NAME];

	for (const char *at = allowed; *at != '\0'; at += strspn(at, " ")) {
		size_t n = strcspn(at, " ");
		int number;

		if (n >= sizeof(name))
			return false;
		memcpy(name, at, n);
		name[n] = '\0';
		at += n;
		number = seccomp_syscall_resolve_name(name);
		/* The call may be missing in this version of the library, or on this architecture. */
		if (number != __NR_SCMP_ERROR)
			seccomp_rule_add(filter, SCMP_ACT_ALLOW, number, 0);
	}
	return true;
}

static bool allow_family(scmp_filter_ctx filter, unsigned family)
{
	const bool internet = family == AF_INET || family == AF_INET6;
	const size_t n = internet ? sizeof(protocols) / sizeof(*protocols) : 1;
	bool done = true;

	if (family == AF_UNIX)
		return seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
					SCMP_A0(SCMP_CMP_EQ, family, 0)) == 0;
	for (size_t i = 0; done && i < n; i++)
		done = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 2,
					SCMP_A0(SCMP_CMP_EQ, family, 0),
					SCMP_A2(SCMP_CMP_EQ, (scmp_datum_t)protocols[i], 0)) == 0;
	return done;
}

static bool allow_sockets(scmp_filter_ctx filter)
{
	bool done = true;

	for (unsigned family = 0; done && family < MOST_FAMILIES; family++) {
		bool known = false;

		for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
			known = known || (unsigned)families[i] == family;
		done = known ? allow_family(filter, family)
			     : seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAFNOSUPPORT),
						SCMP_SYS(socket), 1,
						SCMP_A0(SCMP_CMP_EQ, family, 0)) == 0;
	}
	return done && seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socketpair), 1,
					SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0)) == 0;
}

/* 32-bit programs get all but sockets: there one call opens sockets of every family, by arguments in memory. */
static scmp_filter_ctx make_filter(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	scmp_filter_ctx small = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	bool done =
		filter != NULL && small != NULL &&
		seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)) == 0 &&
		seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && allow_names(filter) &&
		allow_sockets(filter);

	if (done && seccomp_arch_native() == SCMP_ARCH_X86_64) {
		done = seccomp_attr_set(small, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ERRNO(ENOSYS)) ==
			       0 &&
		       seccomp_attr_set(small, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 &&
		       seccomp_arch_add(small, SCMP_ARCH_X86) == 0 &&
		       seccomp_arch_remove(small, SCMP_ARCH_X86_64) == 0 && allow_names(small) &&
		       seccomp_merge(filter, small) == 0;
		if (done)
			small = NULL; /* the other filter owns it now */
	}
	if (small != NULL)
		seccomp_release(small);
	if (done)
		return filter;
	if (filter != NULL)
		seccomp_release(filter);
	return NULL;
}

/*
 * Forbid arguments of permitted calls that reach other processes: limits of process 1, which later commands would
 * inherit, events of all processes on a processor, and input typed into a terminal. The kernel takes the lower 32 bits.
 */
static scmp_filter_ctx make_arguments(void)
{
	enum { LAUNCHER = 1 };
	const scmp_datum_t low = UINT32_MAX;
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	const uint32_t deny = SCMP_ACT_ERRNO(EPERM);
	bool done = filter != NULL &&
		    seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_ALLOW) == 0;

	if (done && seccomp_arch_native() == SCMP_ARCH_X86_64)
		done = seccomp_arch_add(filter, SCMP_ARCH_X86) == 0;
	done = done &&
	       seccomp_rule_add(filter, deny, SCMP_SYS(prlimit64), 1,
				SCMP_A0(SCMP_CMP_MASKED_EQ, low, LAUNCHER)) == 0 &&
	       seccomp_rule_add(filter, deny, SCMP_SYS(perf_event_open), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, low, low)) == 0 &&
	       seccomp_rule_add(filter, deny, SCMP_SYS(ioctl), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, low, TIOCSTI)) == 0 &&
	       seccomp_rule_add(filter, deny, SCMP_SYS(ioctl), 1,
				SCMP_A1(SCMP_CMP_MASKED_EQ, low, TIOCLINUX)) == 0;
	if (done || filter == NULL)
		return filter;
	seccomp_release(filter);
	return NULL;
}

/* Compile a filter, and release it. */
static bool compile(struct pe_filter_program *out, scmp_filter_ctx filter)
{
	pe_auto_fd fd = filter != NULL ? memfd_create("filter", MFD_CLOEXEC) : -1;
	off_t bytes = fd >= 0 && seccomp_export_bpf(filter, fd) == 0 ? lseek(fd, 0, SEEK_END) : -1;

	*out = (struct pe_filter_program){0};
	if (bytes > 0)
		out->at = malloc((size_t)bytes);
	if (out->at != NULL && pread(fd, out->at, (size_t)bytes, 0) == bytes)
		out->n = (unsigned short)((size_t)bytes / sizeof(struct sock_filter));
	if (filter != NULL)
		seccomp_release(filter);
	if (out->n == 0 && errno == 0)
		errno = EINVAL;
	return out->n > 0;
}

bool pe_filter_make(struct pe_filter *out)
{
	return compile(&out->programs[0], make_arguments()) &&
	       compile(&out->programs[1], make_filter());
}

int pe_filter_apply(const struct pe_filter *filter)
{
	for (size_t i = 0; i < 2; i++) {
		const struct sock_fprog program = {filter->programs[i].n, filter->programs[i].at};

		/* The kernel's defence against speculation slows commands down, and is for sandboxes within a process. */
		if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
			    &program) != 0)
			return errno;
	}
	return 0;
}
