# The allocations of a static program cannot be counted: that is said, and is never zero.
# shellcheck source=tests/cli/track/lib.sh
. "$CASE_DIR/lib.sh"

new_repo
echo '${CC:-cc} -static -o prog prog.c' >build.sh
printf 'int main(void)\n{\n\treturn 0;\n}\n' >prog.c
history 1
printf 'build: sh build.sh\nbenchmarks:\n  prog: {command: [./prog], warmup: 0, repeats: 2}\n' >perfevo.yml
track 0 --last 1
same "runs" 'c1|prog|timed|measured|2
c1|prog|allocations|not countable|1' "$(counts)"
same "counted allocations" 0 "$(db "SELECT count(*) FROM measurements WHERE metric LIKE 'alloc%'")"
track 0 --last 1
same "runs after a second time" 3 "$(db 'SELECT count(*) FROM runs')"
