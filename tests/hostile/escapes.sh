# Ways out of `sandbox: require`, tried by a commit's build: each is held. programs/escape.c says what it saw from inside;
# what it left outside is looked for here. escapes_landlock.sh sets `sandbox` and `confined`, and reads this.
sandbox=${sandbox:-require}

unshare -Urmpf --mount-proc true 2>/dev/null || exit 77

top=$(dirname "$PWD")
mkdir -p "$HOME/.ssh"
echo SECRET >"$HOME/.ssh/id"
echo 'precious' >"$HOME/precious"
echo '# mine' >"$HOME/.bashrc"
empty_repo
echo '#!/bin/sh' >.git/hooks/post-commit
cat >perfevo.yml <<END
sandbox: $sandbox
disk: 2GiB
build: {steps: exec sh build.sh, timeout: 120s}
benchmarks:
  one: {command: cat product, warmup: 0, repeats: 1, allocations: false}
END
echo 'echo one >product' >build.sh
save harmless
perfevo track --quiet --no-open --no-confirm >/dev/null
slot=$(find "$XDG_CACHE_HOME" -path '*/slots/0000')
[ -f "$slot/tree/product" ] || fail 'there is no build to attack'

python3 "$CASE_DIR/programs/lures.py" lures "$top" &
lures=$!
trap 'kill $lures' EXIT
while [ ! -f lures ]; do sleep 0.1; done
cat lures - >targets <<END
home $HOME
tmp $top
repo $PWD
store $PWD/.git/perfevo/perfevo.db
slot $slot
cache $(dirname "$(dirname "$slot")")
secret $HOME/.ssh/id
END
rm lures
cp "$CASE_DIR/programs/escape.c" .
cat >build.sh <<'END'
trap '' TERM # of signal_all, which has its line to print
echo two >product
cc -O1 -o escape escape.c -lrt && ./escape targets >said
END
save attack
status=0
${confined-} perfevo track --quiet --no-open --no-confirm >../track.txt 2>&1 || status=$?
said=$(find "$XDG_CACHE_HOME" -path '*/tree/said')
[ -n "$said" ] || fail "the attack did not run: $(cat ../track.txt; perfevo show --builds 2>&1)"
[ "$status" -eq 0 ] || fail "perfevo ended with $status: $(cat ../track.txt) $(tail -3 "$said")"

# What the attack saw from inside.
same 'ways out, seen from inside' "${open-}" "$(grep -v '^held ' "$said" || true)"
n=$(grep -c '^held ' "$said")
same 'all are tried' 'signal_all' "$(sed -n '$s/.* //p' "$said")"

# What it left outside.
same 'files made outside' '' "$(find "$top" -name ESCAPE ! -path '*/tree/*' ! -path '*/scratch/*')"
for file in "$HOME/.bashrc" "$HOME/precious" perfevo.yml .git/config .git/hooks/post-commit "$slot/tree/product"; do
	has_not 'a file is as it was' "$file" ESCAPE
done
for file in /etc/ESCAPE /usr/local/bin/ESCAPE /var/spool/cron/ESCAPE /dev/shm/ESCAPE /run/ESCAPE; do
	[ ! -e "$file" ] || fail "$file was made"
done
same 'the folder of the attack is a folder' "$(dirname "$said")" "$(cd "$(dirname "$said")" && pwd -P)"
kill -0 $lures || fail 'a process outside was ended'
same 'processes left behind' '' "$(ps -eo comm= | grep -x perfevo-escape || true)"
perfevo log >../log.txt || fail 'the store does not answer'
echo "$(wc -l <"$said") ways out of 'sandbox: $sandbox' tried, $n held"
