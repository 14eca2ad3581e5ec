# The allocations of a static program cannot be counted: that is said, and is never zero.

new_repo
echo '${CC:-cc} -static -o prog prog.c' >build.sh
printf 'int main(void)\n{\n\treturn 0;\n}\n' >prog.c
history 1
printf 'build: sh build.sh\nbenchmarks:\n  prog: {command: [./prog], warmup: 0, repeats: 2}\n' >perfevo.yml
track 0 --last 1
same "runs" 'c1|prog|timed|measured|2
c1|prog|allocations|not countable|1' "$(counts)"
same "counted allocations" 0 "$(db "SELECT count(*) FROM measurements WHERE metric LIKE 'alloc%'")"
same "why" './prog: it is statically linked' "$(db 'SELECT DISTINCT log FROM runs WHERE kind = 1')"
track 0 --last 1
same "runs after a second time" 3 "$(db 'SELECT count(*) FROM runs')"

# One that ends badly with the counting library, and with it alone, has its times; that is told once, and not tried again.
echo '${CC:-cc} -o prog prog.c' >build.sh
printf '#include <stdlib.h>\nint main(void)\n{\n\tif (getenv("LD_PRELOAD") != NULL)\n\t\tabort();\n\treturn 0;\n}\n' >prog.c
save aborts
perfevo track --last 1 --no-confirm >"$case_dir/out" 2>"$case_dir/err" || fail "track: $(cat "$case_dir/err")"
same "runs" 'aborts|prog|timed|measured|2
aborts|prog|allocations|crashed|1' "$(counts | grep aborts)"
same "what is told" 1 "$(grep -c "prog: counting run: crashed ('perfevo show" "$case_dir/err")"
has_not "no failure of the benchmark" "$case_dir/err" 'prog: crashed'
has "and in the list" "$case_dir/out" 'prog: not counted at 1 commit'
perfevo check -q >"$case_dir/out" 2>"$case_dir/err" || fail "check: $(cat "$case_dir/err")"
has "by check, too" "$case_dir/out" 'prog (crashed): allocations cannot be counted'
runs=$(db 'SELECT count(*) FROM runs')
track 0 --last 1
same "runs after a second time" "$runs" "$(db 'SELECT count(*) FROM runs')"
# What ends badly by itself is told as that, once.
printf '#include <stdlib.h>\nint main(void)\n{\n\tabort();\n}\n' >prog.c
save always
perfevo track --last 1 --no-confirm >"$case_dir/out" 2>"$case_dir/err" || [ $? -eq 2 ] || fail "track: $(cat "$case_dir/err")"
has "a failure" "$case_dir/err" '(always): prog: crashed'
has_not "and no other" "$case_dir/err" 'counting run'
