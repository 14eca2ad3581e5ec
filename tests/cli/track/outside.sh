# What builds and setups keep outside of their trees, in many places and ways, is shared by all commits, which are all built
# before any is measured: the values are those of each commit, or the run is refused, or a note names the place. None is wrong
# in silence.

o=$PWD/o
key=$$
mkdir -p "$o/bin" "$o/lib" "$o/list" "$HOME/.config/prog"
cat >state.c <<'END'
/* state KIND NAME [NUMBER]: write it, or print it as n=NUMBER. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <semaphore.h>
#include <netinet/in.h>
#include <unistd.h>

static int *map(int fd)
{
	if (fd < 0 || ftruncate(fd, 4096) != 0)
		exit(3);
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static int address_of(struct sockaddr_storage *out, const char *name)
{
	struct sockaddr_un *local = (struct sockaddr_un *)out;
	struct sockaddr_in *port = (struct sockaddr_in *)out;

	memset(out, 0, sizeof(*out));
	if (*name == '@' || *name == '/') {
		local->sun_family = AF_UNIX;
		strcpy(local->sun_path, name);
		if (*name == '@')
			local->sun_path[0] = '\0';
		return (int)(sizeof(sa_family_t) + strlen(name));
	}
	port->sin_family = AF_INET;
	port->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	port->sin_port = htons((unsigned short)atoi(name));
	return sizeof(*port);
}

/* Holds one number: 0 asks for it. */
static void serve(const char *name)
{
	struct sockaddr_storage address;
	socklen_t size = (socklen_t)address_of(&address, name);
	int fd = socket(address.ss_family, SOCK_STREAM, 0), held = 0, one;

	if (bind(fd, (struct sockaddr *)&address, size) != 0 || listen(fd, 9) != 0)
		exit(3);
	size = sizeof(address);
	getsockname(fd, (struct sockaddr *)&address, &size);
	printf("%d\n", address.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&address)->sin_port) : 0);
	fflush(stdout);
	for (;;) {
		int peer = accept(fd, NULL, NULL);

		if (read(peer, &one, sizeof(one)) == sizeof(one)) {
			held = one != 0 ? one : held;
			if (write(peer, &held, sizeof(held)) < 0)
				exit(3);
		}
		close(peer);
	}
}

static int talk(const char *name, int one)
{
	struct sockaddr_storage address;
	socklen_t size = (socklen_t)address_of(&address, name);
	int fd = socket(address.ss_family, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&address, size) != 0 || write(fd, &one, sizeof(one)) < 0 || read(fd, &one, sizeof(one)) < 0)
		exit(3);
	return one;
}

int main(int n, char **v)
{
	int set = n > 3 ? atoi(v[3]) : 0, id, held = 0, *at;
	struct mq_attr attributes = {.mq_maxmsg = 4, .mq_msgsize = 8};
	struct { long type; int number; } message = {set, set};
	struct msqid_ds info;
	mqd_t queue;
	sem_t *semaphore;
	key_t key = atoi(v[2]);

	if (strcmp(v[1], "serve") == 0)
		serve(v[2]);
	if (strcmp(v[1], "talk") == 0) {
		held = talk(v[2], set);
	} else if (strcmp(v[1], "map") == 0 || strcmp(v[1], "shm") == 0) {
		at = map(*v[1] == 'm' ? open(v[2], O_RDWR | O_CREAT, 0600) : shm_open(v[2], O_RDWR | O_CREAT, 0600));
		held = set ? (*at = set) : *at;
	} else if (strcmp(v[1], "sysv") == 0) {
		at = shmat(shmget(key, 4096, IPC_CREAT | 0600), NULL, 0);
		held = set ? (*at = set) : *at;
	} else if (strcmp(v[1], "sem") == 0) {
		id = semget(key, 1, IPC_CREAT | 0600);
		held = set ? (semctl(id, 0, SETVAL, set), set) : semctl(id, 0, GETVAL);
	} else if (strcmp(v[1], "msg") == 0) {
		id = msgget(key, IPC_CREAT | 0600);
		if (set) {
			while (msgrcv(id, &message, sizeof(int), 0, IPC_NOWAIT) >= 0)
				;
			message.type = message.number = set;
			for (int i = 0; i < set / 100; i++)
				msgsnd(id, &message, sizeof(int), 0);
		}
		msgctl(id, IPC_STAT, &info);
		held = (int)info.msg_qnum * 100;
	} else if (strcmp(v[1], "queue") == 0) {
		if (set)
			mq_unlink(v[2]);
		queue = mq_open(v[2], O_RDWR | O_CREAT, 0600, &attributes);
		for (int i = 0; i < set / 100; i++)
			mq_send(queue, "1", 1, 0);
		mq_getattr(queue, &attributes);
		held = (int)attributes.mq_curmsgs * 100;
	} else if (strcmp(v[1], "named") == 0) {
		if (set)
			sem_unlink(v[2]);
		semaphore = sem_open(v[2], O_CREAT, 0600, set);
		sem_getvalue(semaphore, &held);
	} else if (strcmp(v[1], "attribute") == 0) {
		if ((set ? setxattr(v[2], "user.n", &set, sizeof(set), 0) : getxattr(v[2], "user.n", &held, sizeof(held))) < 0)
			return 3;
	} else if (strcmp(v[1], "file") == 0) {
		FILE *file = fopen(v[2], "r");

		if (file == NULL || fscanf(file, "%d", &held) != 1)
			return 3;
	} else if (strcmp(v[1], "remove") == 0) {
		shmctl(shmget(key, 0, 0), IPC_RMID, NULL);
		semctl(semget(key, 0, 0), 0, IPC_RMID);
		msgctl(msgget(key, 0), IPC_RMID, NULL);
		mq_unlink(v[3]);
		shm_unlink(v[3]);
		sem_unlink(v[3]);
		return 0;
	}
	printf("n=%d\n", held);
	return 0;
}
END
# Tells its number without a read that is seen: it knows the place by itself.
cat >knows.c <<END
#include <stdio.h>
int main(void)
{
	int n = 0;
	FILE *file = fopen("$o/known", "r");

	if (file == NULL || fscanf(file, "%d", &n) != 1)
		return 3;
	printf("n=%d\\n", n);
	return 0;
}
END
cc -o "$o/state" state.c -lrt -lpthread
cc -static -o "$o/static" state.c -lrt -lpthread 2>"$case_dir/cc" || cc -o "$o/static" state.c -lrt -lpthread
cc -static -o "$o/knows" knows.c 2>"$case_dir/cc" || cc -o "$o/knows" knows.c
for n in 100 200; do
	echo "int number(void) { return $n; }" >"$n.c"
	cc -shared -fPIC -o "lib$n.so" "$n.c"
	printf '#include <stdio.h>\nint number(void);\nint main(void) { printf("n=%%d\\n", number()); return 0; }\n' >main.c
	cc -o "prog$n" main.c "$n.c"
	[ "$n" = 200 ] || cc -o "$o/linked" main.c -Wl,-rpath,"$o/lib" -L. -l:lib100.so
done
mkdir inputs
mv lib100.so lib200.so prog100 prog200 inputs/
"$o/state" serve 0 >"$o/port" &
tcp=$!
"$o/state" serve "$o/socket" >"$o/none" &
unix=$!
"$o/state" serve "@perfevo-$key" >"$o/none" &
abstract=$!
# shellcheck disable=SC2064 # as they are now
trap "kill $tcp $unix $abstract; '$o/state' remove $key /perfevo-$key; rm -rf /var/tmp/perfevo-$key /var/tmp/perfevo-$key.given /tmp/perfevo-$key /dev/shm/perfevo-$key /dev/shm/perfevo-$key-shm" EXIT
while [ ! -s "$o/port" ]; do sleep 0.1; done
port=$(cat "$o/port")

mkdir -p repo && cd repo && git init -q -b main .
cp -r ../inputs .
store=$PWD/.git/perfevo/perfevo.db
cat >build.sh <<END
n=\$(cat number)
echo "echo n=\$n" >"$o/bin/prog.sh"
cp inputs/prog\$n "$o/bin/prog.new" && mv "$o/bin/prog.new" "$o/bin/prog"
cp inputs/lib\$n.so "$o/lib/lib100.so"
printf '#!/bin/sh\necho n=%s\n' "\$n" >"$o/bin/on-path" && chmod +x "$o/bin/on-path"
mkdir -p "$o/v\$n" && echo "\$n" >"$o/v\$n/n" && ln -sfn "v\$n" "$o/current"
rm -rf "$o/list" && mkdir "$o/list" && : >"$o/list/\$n"
echo "n=\$n" >"\$HOME/.progrc"
echo "\$n" >"\$HOME/.config/prog/conf"
mkdir -p "\$HOME/.local/share/prog" && echo "\$n" >"\$HOME/.local/share/prog/data"
mkdir -p "\$HOME/.cache/prog" && echo "\$n" >"\$HOME/.cache/prog/data"
echo "\$n" >/var/tmp/perfevo-$key
rm -f "$o/hard" && ln "$o/v\$n/n" "$o/hard"
echo "create table t(n); insert into t values(\$n);" | { rm -f "$o/built.db"; sqlite3 "$o/built.db"; }
echo "\$n" >"$o/known"
ln -sfn "$o/known" into
test -f "$o/once-built" || echo "\$n" >"$o/once-built"
END
benchmarks=
# keeps NAME WHAT COMMAND [SETUP [MORE]]: WHAT is 'own': right values; 'refused': none that are wrong; 'noted': a note names the place
keeps()
{
	benchmarks="$benchmarks $1:$2"
	{
		printf '  %s:\n    command: [sh, -c, "%s"]\n' "$1" "$3"
		[ -z "${4-}" ] || printf '    setup: "%s"\n' "$4"
		[ -z "${5-}" ] || printf '    %s\n' "$5"
		printf '    %s\n' 'repeats: 2' 'warmup: 0' "metrics: {n: {regex: 'n=([0-9]+)', deterministic: true}}"
	} >>perfevo.yml
}
n='$(cat number)'
# config [SANDBOX]: of what 'keeps' then adds; times need many pairs. Of the cache's folder, only a part is perfevo's.
config()
{
	printf '%s\n' 'build: sh build.sh' "sandbox: ${1:-off}" "cache: $o" "run: {instructions: 'off'}" \
		'metrics: {wall: {judge: false}, max-rss: {judge: false}}' 'benchmarks:' >perfevo.yml
}
config
keeps script own "sh $o/bin/prog.sh"
keeps program own "$o/bin/prog"
keeps library own "$o/linked"
keeps path own "PATH=$o/bin:\$PATH on-path"
keeps link own "echo n=\$(cat $o/current/n)"
keeps listing own "echo n=\$(ls $o/list)"
keeps rc own ". \$HOME/.progrc; echo n=\$n"
keeps config own "echo n=\$(cat \$HOME/.config/prog/conf)"
keeps data own "echo n=\$(cat \$HOME/.local/share/prog/data)"
keeps cache own "echo n=\$(cat \$HOME/.cache/prog/data)"
keeps var-tmp own "echo n=\$(cat /var/tmp/perfevo-$key)"
keeps hard-link own "echo n=\$(cat $o/hard)"
keeps built-db own "echo n=\$(sqlite3 $o/built.db 'select n from t')"
keeps static-built own "$o/static file $o/known"
keeps static-knows own "$o/knows"
keeps once-built refused "echo n=\$(cat $o/once-built)"
keeps variable own "echo n=\$(cat \$FROM)" "" "env: {FROM: $o/known}"
keeps tree-link own "echo n=\$(cat into)"
keeps elsewhere own "cd $o; echo n=\$(cat known)"
keeps tmp own "echo n=\$(cat /tmp/perfevo-$key)" "cp number /tmp/perfevo-$key"
keeps shm-file own "echo n=\$(cat /dev/shm/perfevo-$key)" "cp number /dev/shm/perfevo-$key"
keeps logged own "echo run >>$o/runs; echo n=$n"
keeps log own "tail -n 1 $o/log" "echo n=$n >>$o/log"
keeps set-up-db own "echo n=\$(sqlite3 $o/set.db 'select n from t')" "sqlite3 $o/set.db \\\"create table if not exists t(n); delete from t; insert into t values($n)\\\""
keeps mapped own "$o/state map $o/mapped" "$o/state map $o/mapped $n"
keeps shm own "$o/state shm /perfevo-$key-shm" "$o/state shm /perfevo-$key-shm $n"
keeps named-semaphore own "$o/state named /perfevo-$key" "$o/state named /perfevo-$key $n"
keeps sysv own "$o/state sysv $key" "$o/state sysv $key $n"
keeps semaphore own "$o/state sem $key" "$o/state sem $key $n"
keeps messages own "$o/state msg $key" "$o/state msg $key $n"
keeps queue own "$o/state queue /perfevo-$key" "$o/state queue /perfevo-$key $n"
keeps tcp own "$o/state talk $port" "$o/state talk $port $n"
keeps unix own "$o/state talk $o/socket" "$o/state talk $o/socket $n"
keeps abstract own "$o/state talk @perfevo-$key" "$o/state talk @perfevo-$key $n"
: >"$o/attribute"
# Where the file system has such attributes.
! "$o/state" attribute "$o/attribute" 1 >"$o/none" ||
	keeps attribute own "$o/state attribute $o/attribute" "$o/state attribute $o/attribute $n"
keeps git own "echo n=\$(git config --global perf.n)" "git config --global perf.n $n"
keeps moved own "echo n=\$(cat $o/moved)" "cp number $o/moved.new; mv $o/moved.new $o/moved"
keeps there own "if test -e $o/there; then echo n=100; else echo n=200; fi" "rm -f $o/there; test $n = 200 || touch $o/there"
keeps kept-date own "echo n=\$(cat $o/dated)" "touch -d 2020-01-01 number; cp -p number $o/dated"
keeps static-set own "$o/static file $o/static-set" "cp number $o/static-set"
keeps once refused "echo n=\$(cat $o/once)" "test -f $o/once || cp number $o/once"
keeps once-sysv noted "$o/state sysv $((key + 1))" "test -f $o/sysv || { touch $o/sysv; $o/state sysv $((key + 1)) $n; }"
keeps by-runs noted "test -f $o/run || cp number $o/run; echo n=\$(cat $o/run)"
keeps prepared own "echo n=\$(cat $o/prepared)" "" "prepare: cp number $o/prepared"
keeps tree own "echo n=\$(cat kept)" "cp number kept"
keeps into-tree own "echo n=\$(cat $o/into)" "ln -sfn \$PERFEVO_TREE/number $o/into"
keeps into-folder own "echo n=\$(cat $o/folder/number)" "ln -sfn \$PERFEVO_TREE $o/folder"
for n in 100 200; do
	echo $n >number
	save "$n"
done

# values BENCHMARK: of the commits that have any
values()
{
	db "SELECT DISTINCT v.subject || '=' || cast(m.value AS integer) FROM measurements m
		JOIN revisions v ON v.id = m.revision WHERE m.metric = 'n' AND m.benchmark = '$1' ORDER BY 1" | xargs
}

ends 0 perfevo track --no-open --no-confirm
tr -s ' \n' ' ' <"$case_dir/err" >"$case_dir/notes"
has "what is done" "$case_dir/notes" "lies outside of the trees, where all commits share it"
ipcrm -M $((key + 1)) 2>/dev/null || true
for one in $benchmarks; do
	name=${one%:*} what=${one#*:}
	values=$(values "$name")
	case $what/$values in
	own/'100=100 200=200') ;;
	refused/'' | refused/100=100 | refused/200=200) ;;
	noted/*) has "$name" "$case_dir/notes" "$name " ;;
	*) printf '%s: %s, which is not %s\n' "$name" "$values" "$what" ;;
	esac
done

{ perfevo show HEAD~1 && perfevo show HEAD; } 2>&1 | tr -s ' \n' ' ' >"$case_dir/words" || true
has "the place" "$case_dir/words" "once reads $o/once, outside of its tree"

# A later session finds kept builds, and outside of them what the last one left.
ends 0 perfevo track --no-open --no-confirm --again -b '^script$'
same "again" '100=100 200=200' "$(values script)"

# What a kept build left, and somebody removed since, is made again.
rm "$o/bin/prog.sh"
ends 0 perfevo track --no-open --no-confirm --again -b '^script$'
same "removed" '100=100 200=200' "$(values script)"
perfevo check -b '^script$' 2>&1 | tr -s ' \n' ' ' >"$case_dir/words" || true
has "check" "$case_dir/words" "which its commits write outside of their trees and share"

# The paired runs of 'ci' come in another session, which knows from the store alone what the benchmarks read.
ends 1 perfevo ci --base HEAD~1 --format json -b '^(script|tcp|abstract|sysv|semaphore|messages|queue|into-tree|into-folder)$'
tr '{' '\n' <"$case_dir/out" | grep '"metric":"n"' >"$case_dir/n" || true
for name in script tcp abstract sysv semaphore messages queue into-tree into-folder; do
	grep "\"benchmark\":\"$name\"" "$case_dir/n" | grep -q '"old":100,"new":200,' ||
		printf 'ci: %s: %s\n' "$name" "$(grep "\"benchmark\":\"$name\"" "$case_dir/n")"
done

# A sandbox gives each commit a /var/tmp of its own, but for what the config lets them write.
if unshare -Urm true 2>/dev/null; then
	mkdir /var/tmp/perfevo-$key.given ../given && cd ../given && git init -q -b main .
	store=$PWD/.git/perfevo/perfevo.db
	echo "cp number /var/tmp/perfevo-$key.given" >build.sh
	config "{mode: auto, write: [/var/tmp/perfevo-$key.given]}"
	keeps given own "echo n=\$(cat /var/tmp/perfevo-$key.given/number)"
	for n in 100 200; do
		echo $n >number
		save "$n"
	done
	ends 0 perfevo track --no-open --no-confirm
	same "given" '100=100 200=200' "$(values given)"
fi

# Python takes its __pycache__ for that of a module of the same size and second: builds of a commit wait for another second.
command -v python3 >/dev/null || exit 0
cd .. && mkdir modules && cd modules && git init -q -b main .
store=$PWD/.git/perfevo/perfevo.db
cat >build.sh <<END
echo "N = \$(cat number)" >"$o/lib/module.py"
END
config
keeps module noted "PYTHONPATH=$o/lib python3 -c 'import module; print(\\\"n=\\\" + str(module.N))'"
for n in 100 200; do
	echo $n >number
	save "$n"
done
ends 0 perfevo track --no-open --no-confirm
same "module" '100=100 200=200' "$(values module)"
has "module" "$case_dir/err" "module reads $o/lib, outside of its tree"
