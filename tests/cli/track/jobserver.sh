# Builds side by side have one limit of jobs, which make obeys: one that begins with half of them has the other's when
# that is over. So it is in a sandbox; a step that says -j itself, and a config that sets MAKEFLAGS, have theirs.

command -v make >/dev/null || exit 77
new_repo
log=$case_dir/log
# Three jobs that wait for each other, ten minutes at most; the first commit has none of them.
cat >Makefile <<'END'
all: $(JOBS)
	cp prog.sh prog
	chmod +x prog

a b c:
	: >$(LOG)/$@
	n=0; while [ "$$(ls $(LOG) | grep -c '^[abc]$$')" -lt 3 ] && [ $$n -lt 12000 ]; do sleep 0.05; n=$$((n + 1)); done
	ls $(LOG) | grep -c '^[abc]$$' >>$(LOG)/met
END
echo JOBS= >jobs.mk
sed -i '1i include jobs.mk' Makefile
echo 1 >level
save first
echo JOBS=a b c >jobs.mk
save second
plain_config
# tracked SANDBOX STEP [ENV]
tracked()
{
	rm -rf "$log" .git/perfevo "$HOME/cache"
	mkdir "$log"
	cat >perfevo.yml <<END
build: {steps: ['$2'], parallel: 2, jobs: 4, env: {LOG: $log${3:+, $3}}}
sandbox: {mode: $1, write: [$log]}
benchmarks:
  prog: {command: ./prog, warmup: 0, repeats: 1, allocations: false}
END
	track 0 --last 2
	same "builds with $2 ($1 ${3-})" '0 2' "$(db 'SELECT outcome, count(*) FROM builds GROUP BY 1' | tr '|' ' ')"
}
for sandbox in off auto; do
	tracked $sandbox make
	same "jobs at one time ($sandbox)" '3 3 3' "$(tr '\n' ' ' <"$log/met" | sed 's/ $//')"
done
tracked off 'make -j3'
tracked off make 'MAKEFLAGS: -j3'
