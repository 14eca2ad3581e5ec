# P1, P6, P7, P9: links that a tree or a command placed, variables for a foreign build, an older base's config, commands for a
# pipeline's runner, sockets and keys that no namespace keeps apart.
unshare -Urm true 2>/dev/null || exit 77
unset CI
mkdir -p "$HOME/.ssh"
echo TOPSECRET >"$HOME/.ssh/id"
config()
{
	printf '%s\n' "sandbox: $1" "build: {steps: sh build.sh${2-}}" \
		'benchmarks: {one: {command: echo score 1, warmup: 0, repeats: 1, allocations: false}}' >perfevo.yml
}
track() { perfevo track --quiet --no-open --no-confirm --last 1 >../out 2>&1 || :; }
git init -q theirs
cd theirs
config require
echo true >build.sh
save base
cd ..
git clone -q theirs ours
cd ours
track

# tried NAME: what the other clone committed, checked out and measured here
tried()
{
	(cd ../theirs && save "$1")
	git fetch -q
	git checkout -q origin/HEAD
	SECRET_TOKEN=TOPSECRET track
	perfevo show HEAD >>../out 2>&1 || :
	has_not "$1" ../out TOPSECRET
	(cd ../theirs && git reset -q --hard HEAD~1)
}
(cd ../theirs && config require ', pass-env: [SECRET_TOKEN]' && echo 'echo "$SECRET_TOKEN"; exit 3' >build.sh)
tried 'a variable for the build'
has 'it is asked for' ../out 'build pass-env: SECRET_TOKEN'
(cd ../theirs && config off && mv perfevo.yml c.yml && ln -s c.yml perfevo.yml)
tried 'a config that is a link'
has 'the link' ../out 'is a symbolic link'
(cd ../theirs && config require && echo 'overlay: [d/id]' >>perfevo.yml && ln -s "$HOME/.ssh" d && echo 'cat d/id; exit 3' >build.sh)
tried 'an overlay through a link'
(cd ../theirs && config require && echo 'overlay: [.git/config]' >>perfevo.yml)
tried "an overlay of git's own"
has "git's own" ../out 'cannot be overlaid'
(cd ../theirs && cat >build.sh <<'E'
python3 - <<'P'
import ctypes, socket
call = ctypes.CDLL(None).syscall
for name, number in ('bpf', 321), ('userfaultfd', 323), ('io_uring_setup', 425), ('fanotify_init', 300), ('add_key', 248), \
        ('request_key', 249), ('keyctl', 250), ('open_by_handle_at', 304), ('mount', 165), ('init_module', 175), ('fsopen', 430):
    if call(number, 0, 0, 0, 0, 0) >= 0 or ctypes.get_errno() == 14: print('TOPSECRET', name)
for family in range(64):
    if family in (1, 2, 10, 16): continue
    try: socket.socket(family, 1); print('TOPSECRET family', family)
    except OSError: pass
if open('/proc/keys').read(): print('TOPSECRET /proc/keys')
P
exit 3
E
)
tried 'system calls and sockets'

# Programs that listen: in the home folder, and by an abstract name, which the machine's network has (landlock 6 keeps it).
cat >../listen.py <<'E'
import os, socket, sys, time
kept = []
for name in sys.argv[1] + '/server', '\0' + sys.argv[1]:
    kept.append(socket.socket(socket.AF_UNIX))
    kept[-1].bind(name)
    kept[-1].listen()
open(sys.argv[1] + '/listens', 'w')
while os.getppid() != 1: time.sleep(.2)
E
python3 ../listen.py "$HOME" &
listener=$!
trap 'kill $listener' EXIT
while [ ! -e "$HOME/listens" ]; do sleep 0.1; done
config auto
cat >build.sh <<'E'
mkdir a b && echo >a/f && mv a/f b/f || echo TOPSECRET, a rename
python3 - "$HOME" <<'P'
import ctypes, socket, sys
scoped = ctypes.CDLL(None).syscall(444, None, 0, 1) >= 6
for name in [sys.argv[1] + '/server'] + ['\0' + sys.argv[1]] * scoped:
    try: socket.socket(socket.AF_UNIX).connect(name)
    except OSError: continue
    print('TOPSECRET', repr(name))
P
exit 3
E
save listeners
track
perfevo show HEAD >../out 2>&1 || :
has 'it tried' ../out 'exited with status 3'
has_not 'a program that listens' ../out TOPSECRET

# A submodule of an older commit, in a folder that is a link to somebody's repositories now; its commit's name is known.
git init -q ../private/lib
(cd ../private/lib && echo TOPSECRET >id && save private)
(cd ../theirs && config require && echo 'cat d/lib/id; exit 3' >build.sh &&
	printf '[submodule "q"]\n\tpath = d/lib\n\turl = ./x\n' >.gitmodules && git add -A &&
	git update-index --add --cacheinfo "160000,$(git -C ../private/lib rev-parse HEAD),d/lib" && git commit -qm gitlink &&
	git rm -rq --cached d .gitmodules && rm .gitmodules && ln -s "$PWD/../private" d && save 'a link')
git fetch -q
git checkout -q origin/HEAD
perfevo track --quiet --no-open --no-confirm --last 2 >../out 2>&1 || :
perfevo show HEAD~1 >>../out 2>&1 || :
has_not 'a submodule through a link' ../out TOPSECRET
(cd ../theirs && git reset -q --hard HEAD~2)

# Names in commands that are printed to be copied.
git branch 'b;touch${IFS}x' "$(git commit-tree -m alone 'HEAD^{tree}')"
perfevo site --branch 'b;touch${IFS}x' --branch main ../site >../out 2>&1 || :
has 'a branch' ../out "'perfevo track 'b;touch\${IFS}x''"

# The profile of a command.
config require
echo "profile: {command: 'ln -sf $HOME/.ssh/id {profile}', format: folded}" >>perfevo.yml
echo true >build.sh
save profile
perfevo profile HEAD >../out 2>&1 || :
has_not 'a profile that is a link' ../out TOPSECRET

# A pipeline's log.
git checkout -qb pr
printf '%s\n' "echo '::stop-commands::x'" "echo 'y ##vso[task.prependpath]/x ##teamcity[z]'" 'exit 3' >build.sh
save 'one ##vso[x]'
CI=1 GITHUB_ACTIONS=1 perfevo ci --base HEAD~1 --budget 5s >../out 2>&1 || :
has 'the log' ../out 'stop-commands'
! grep -n '^[[:space:]]*::stop\|##vso\|##teamcity' ../out || fail 'a command reached the runner'

# Files without a block on the disk, which would take hours to read for the digest of what a run depends on: it is unknown.
config off
sed -i 's/echo score 1/sh prog.sh/; s/, allocations: false//' perfevo.yml
echo 'for i in 1 2 3; do truncate -s 8T big$i || : >big$i; done' >build.sh
echo 'for i in 1 2 3; do : <big$i; done; sleep 0.5' >prog.sh
save sparse
git commit -q --allow-empty -m 'the same'
echo '#' >>build.sh
save again
perfevo track --quiet --no-open --no-confirm --last 3 >../out 2>&1 || fail "sparse files: $(cat ../out)"
same 'what it depends on is known' 0 "$(sqlite3 .git/perfevo/perfevo.db 'SELECT count(*) > 0 FROM executions')"
