# P7: programs/probe.c walks what a build can reach with `require`, as root and as another user, and gets hold of nothing: each
# number of a system call, each family, type and protocol of sockets, process 1, and each file by its mode.
unshare -Urm true 2>/dev/null || exit 77
empty_repo
cp "$CASE_DIR/programs/probe.c" .
echo 'cc -O1 -w -o probe probe.c && ./probe XTOPSECRET >said && mv said whole' >build.sh
cat >perfevo.yml <<'E2'
sandbox: require
build: {steps: sh build.sh, timeout: 600s}
benchmarks: {one: {command: "true", warmup: 0, repeats: 1}}
E2
save one
export CANARY=TOPSECRET
# probed WHO COMMAND...
probed()
{
	"$@" perfevo track --quiet --no-open --no-confirm --last 1 >../track.txt 2>&1 || fail "track: $(cat ../track.txt)"
	whole=$(find "$XDG_CACHE_HOME" -path '*/tree/whole')
	[ -n "$whole" ] || fail "the walk did not end: $(cat ../track.txt)"
	cp "$whole" ../whole
	rm -rf "$XDG_CACHE_HOME" .git/perfevo
	# Calls of the filter's list, and those of it that depend on arguments.
	python3 - "$SOURCE_DIR" ../whole <<'P'
import re, subprocess, sys
# The kernel lets 335 and 336 of x86 pass any filter, and ends who calls them. Headers may be older than the kernel.
names = dict(zip(range(451, 463), '''cachestat fchmodat2 map_shadow_stack futex_wake futex_wait futex_requeue statmount listmount
lsm_get_self_attr lsm_set_self_attr lsm_list_modules mseal'''.split()))
header = subprocess.run(['cc', '-E', '-dM', '-include', 'sys/syscall.h', '-xc', '/dev/null'], capture_output=True, text=True).stdout
for name, number in re.findall(r'#define __NR_(\w+) (\d+)', header): names[int(number)] = name
source = open(sys.argv[1] + '/probe/launcher/filter.c').read()
allowed = set(' '.join(re.findall(r'"([^"]*)"', source[source.index('allowed[]'):source.index('families[]')])).split())
allowed |= {'socket', 'socketpair'}
# What no list may have.
never = set('''add_key request_key keyctl bpf userfaultfd io_uring_setup io_uring_enter io_uring_register fanotify_init fanotify_mark
open_by_handle_at name_to_handle_at mount umount2 move_mount open_tree fsopen fsconfig fsmount fspick mount_setattr pivot_root chroot
setns init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff settimeofday clock_settime adjtimex
clock_adjtime syslog acct quotactl quotactl_fd iopl ioperm sethostname setdomainname lookup_dcookie vhangup pidfd_getfd nfsservctl
memfd_secret process_ksyms modify_ldt uselib ustat sysfs _sysctl create_module get_kernel_syms query_module'''.split())
for name in sorted(never & allowed): print('the list has', name)
for number in (int(line.split()[1]) for line in open(sys.argv[2]) if line.startswith('call ')):
    if number not in (335, 336) and names.get(number) not in allowed: print('call', number, names.get(number))
P
	# Unix, addresses and routes, and the internet's usual protocols.
	grep -v '^call \|^tries \|^socket 1 [0-9]* [01]$\|^socket 16 [0-9]* 0$\|^socket 1\?[02] [0-9]* \(0\|1\|6\|17\|58\)$' ../whole || :
	[ "$(sed -n 's/^tries //p' ../whole)" -gt 100000 ] || fail 'it tried little'
}
same 'got hold of' '' "$(probed env)"
[ "$(id -u)" -eq 0 ] || exit 0
chown -R 65534:65534 .. "$HOME"
chown 65534 ../.. ../../tmp
same 'as another user' '' "$(probed setpriv --reuid 65534 --regid 65534 --clear-groups)"
