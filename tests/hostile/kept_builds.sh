# P7: without a sandbox, the build of a change writes into the kept builds of other commits. They are built again before
# they are used, and the change is judged by what the base really does.

export PERFEVO_SANDBOX=off
empty_repo
score_config '{steps: [sh build.sh], clean: auto}' 3 '' none
scored prog 'sh prog.sh'
# A run leaves files of its own, adds to one that git has, and takes one away: that is no other commit's matter.
cat >build.sh <<'END'
cp source program
mkdir -p made
touch made/taken
END
echo 'echo score 100' >source
echo first >journal
echo 'sh program; echo ran >>journal; date >made/output; rm -f made/taken' >prog.sh
save base
git branch base
track() { timeout 600 perfevo track --no-open --no-confirm "$@" >../out 2>../messages || fail "track: $? $(cat ../messages)"; }
track
track --again
has_not 'runs of its own make a build no other' ../messages 'kept build'
same 'builds' 1 "$(sqlite3 .git/perfevo/perfevo.db 'SELECT COUNT(*) FROM builds')"

# gate WHAT: the change is three times as slow as its base, and that is said
gate()
{
	status=0
	timeout 600 perfevo ci --base base >../out 2>../messages || status=$?
	same "$1: the gate" 1 "$status"
	has "$1: the messages" ../messages 'not what was built'
	same "$1: the base" '100' "$(perfevo log base --format csv | awk -F, '$0 ~ /,score,/ { print }' | grep -o ',100\(\.0*\)\?,' | head -1 | tr -d ,)"
}

slots=$(dirname "$(find "$HOME/cache" -path '*/slots/0000')")
change()
{
	git checkout -q -B change base
	echo 'echo score 300' >source
	{ echo 'cp source program; mkdir -p made; touch made/taken'; cat; } >build.sh
	save "$1"
}

change 'what it makes of programs' <<'END'
for tree in ../../*/tree; do echo 'echo score 300' >"$tree/program"; done
END
gate programs
has 'which file' ../messages 'program differs'

change 'in place, with the old size and time' <<'END'
for tree in ../../*/tree; do
	touch -r "$tree/program" ../stamp
	printf 'echo score 300' | dd of="$tree/program" conv=notrunc 2>/dev/null
	touch -r ../stamp "$tree/program"
done
END
gate 'size and time'

change 'a file that was not there' <<'END'
for tree in ../../*/tree; do [ "$tree" -ef . ] || { echo 'echo score 300' >"$tree/sh"; touch "$tree/made/extra"; }; done
END
gate 'a new file'
has 'which file' ../messages 'was added'

change 'its list and state, too' <<'END'
for slot in ../../*; do
	echo 'echo score 300' >"$slot/tree/program"
	echo 'perfevo kept 1 0' >"$slot/list"
	sed 's/[^ ]*$/0000000000000000000000000000000000000000/' "$slot/state" >"$slot/forged" 2>/dev/null && mv "$slot/forged" "$slot/state"
done
END
gate 'list and state'

change 'a slot of its own making' <<'END'
mkdir -p ../../0077/tree
cp -r ../../0000/. ../../0077
echo 'echo score 300' >../../0077/tree/program
rm -rf ../../0000/state
echo 'echo score 300' >../../0000/tree/program
END
gate 'another slot'
[ ! -e "$slots/0077/state" ] || fail "a slot that perfevo did not make is there: $(cat "$slots/0077/state")"

# Side by side it could write before the list of its base is made: the base's build takes its time, so that it could.
git checkout -q base
sed -i '1a n=0; while [ $n -lt 40 ] \&\& ! [ -e tampered ]; do sleep 0.05; n=$((n + 1)); done' build.sh
save 'a slow base'
change 'while its base is built' <<'END'
for tree in ../../*/tree; do [ "$tree" -ef . ] || { echo 'echo score 300' >"$tree/program"; touch "$tree/tampered"; }; done
END
rm -rf "$slots" .git/perfevo/perfevo.db
sed -i 's/clean: auto/clean: auto, parallel: 4/' perfevo.yml
gate 'a base that is built'
sed -i 's/, parallel: 4//' perfevo.yml

# Two that change each other have no order in which both are right.
change 'one of two' <<'END'
for tree in ../../*/tree; do [ "$tree" -ef . ] || echo one >"$tree/other"; done
END
echo 'for tree in ../../*/tree; do [ "$tree" -ef . ] || echo two >"$tree/other"; done' >>build.sh
save 'two of two'
rm -rf "$slots"
status=0
timeout 600 perfevo track --no-open --no-confirm --again HEAD~2..HEAD >../out 2>../messages || status=$?
same 'two that change each other' 128 "$status"
has 'the cure' ../messages "'sandbox: auto'"
