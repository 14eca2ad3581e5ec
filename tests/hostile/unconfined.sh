# Where the machine gives no namespaces, `sandbox: auto` says so and goes on, with landlock where the kernel has it, and
# `require` runs nothing.

empty_repo
cat >perfevo.yml <<'END'
sandbox: require
build: touch "$HOME/built" 2>/dev/null || true
benchmarks:
  one: {command: 'echo x >"$HOME/denied"', warmup: 0, repeats: 2, allocations: false}
END
save first

# Where there are namespaces, they are forbidden first.
cat >../forbid.py <<'END'
import os, sys
open("/proc/sys/user/max_user_namespaces", "w").write("0")
os.execvp(sys.argv[1], sys.argv[1:])
END
without()
{
	if unshare -Ur true 2>/dev/null; then unshare -Ur python3 ../forbid.py "$@"; else "$@"; fi
}

status=0
without perfevo check >../refused.txt 2>&1 || status=$?
same 'require ends' 128 "$status"
has 'require says what is missing' ../refused.txt "'sandbox: require' cannot be had here"
[ ! -e "$HOME/built" ] || fail 'require ran a build without a sandbox'
sed 's/^sandbox: require/nightly: {fetch: origin}/' perfevo.yml >../night.yml
status=0
without perfevo --config ../night.yml check >../asked.txt 2>&1 || status=$?
same 'require that nobody asked for ends, too' 128 "$status"
has 'and says how to go on' ../asked.txt "PERFEVO_SANDBOX=off or auto, or 'sandbox:' in the config"
PERFEVO_SANDBOX=auto without perfevo check >../fallback.txt 2>&1 || true
has 'auto goes on' ../fallback.txt 'build     built in'
if grep -q 'confined by landlock' ../fallback.txt; then
	has 'check says what is had' ../fallback.txt 'sandbox   auto by landlock'
	has 'what is denied is told with the line that gives it' ../fallback.txt "write: [$HOME/denied]"
else
	has 'auto says what is missing' ../fallback.txt 'builds and benchmarks are not confined'
	has 'check says what is had' ../fallback.txt 'sandbox   off'
fi
# What keeps it is part of the series: what opens files takes longer with landlock.
if unshare -Ur true 2>/dev/null; then
	PERFEVO_SANDBOX=auto perfevo track --quiet --no-open --no-confirm --last 1 >/dev/null 2>&1 || true
	PERFEVO_SANDBOX=auto perfevo track --dry-run --last 1 >../same.txt 2>&1
	has 'the same means are known' ../same.txt '0 revisions to measure'
	PERFEVO_SANDBOX=auto without perfevo track --dry-run --last 1 >../other.txt 2>&1
	has 'results of namespaces are none of other means' ../other.txt '1 revision to measure'
fi
status=0
PERFEVO_SANDBOX=perhaps perfevo check >../mistaken.txt 2>&1 || status=$?
same 'another word ends' 128 "$status"
has 'another word is named' ../mistaken.txt "PERFEVO_SANDBOX must be auto, require or off, not 'perhaps'"

# What others wrote is tried with `require`; where there are no namespaces, with what `auto` has there, but in a pipeline.
git init -q ../tree
cd ../tree
printf 'prog: prog.c\n\t$(CC) -o $@ prog.c\n' >Makefile
echo 'int main(void) { return 0; }' >prog.c
save first
echo >>prog.c
save second
git clone -q . ../clone
cd ../clone
status=0
without perfevo try -- ./prog >../tried.txt 2>&1 || status=$?
same 'try goes on' 0 "$status"
grep -q 'confined by landlock\|are not confined' ../tried.txt || fail 'try does not say what confines'
has_not 'nothing is said of require' ../tried.txt 'sandbox: require'
status=0
CI=true without perfevo try -- ./prog >../piped.txt 2>&1 || status=$?
same 'try in a pipeline ends' 128 "$status"
has 'and says why' ../piped.txt "'sandbox: require' cannot be had here"
