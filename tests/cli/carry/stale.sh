# An incremental build that leaves the old program although a source changed is told.
. "$CASE_DIR/../track/lib.sh"

command -v cc >/dev/null || exit 77
new_repo
echo 'int main(void) { return 0; }' >prog.c
# A build that does not notice a changed source.
echo '[ -e prog ] || cc prog.c -o prog' >build.sh
save first
i=0
while [ "$i" -lt 3 ]; do
	i=$((i + 1))
	echo "int unused_$i(void) { return $i; }" >>prog.c
	save "change $i"
done
cat >perfevo.yml <<'END'
build: {steps: [sh build.sh], clean: never}
disk: 1KiB
benchmarks:
  prog: {command: [./prog], warmup: 0, repeats: 2}
END
echo perfevo.yml >>.git/info/exclude
perfevo track --last 4 --no-open >"$case_dir/out" 2>"$case_dir/err" || fail "track: $?"
has "the warning" "$case_dir/err" "the build left prog as it was"
